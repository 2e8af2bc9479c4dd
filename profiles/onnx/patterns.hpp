// Recognises groups of nodes that exporters write for a single layer: SiLU, GELU, layer norm, the bias of a
// linear layer.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

// Replaces each recognised group by one node with the name of the group's last node. Of other nodes it notes
// what PyTorch's host is asked for: those that are part of another's operator, and the dropouts behind, which
// files do not have.
void recognise_patterns(Graph& graph);

}  // namespace jostle::profiles::onnx_reader
