// Batch norms of a network whose file has folded them.
//
// Exporters fold a batch norm into the weights and the bias of the convolution before it. A framework that
// runs the network itself runs the norm as an operator of its own.
#pragma once

#include "models/dnn/graph/network.hpp"

namespace jostle::dnn {

// True if the network has convolutions with a bias and no batch norm, as a file has after folding.
[[nodiscard]] bool may_have_folded_norms(const Network& network);

// True if the names in the network's file tell convolutions into which a norm was folded
// (Layer::folded_norm).
[[nodiscard]] bool has_named_norms(const Network& network);

// The network with a batch norm behind every convolution that the names tell, or, without such names, behind
// every one that has a bias, which the norm's shift replaces.
[[nodiscard]] Network with_batch_norms(const Network& network);

}  // namespace jostle::dnn
