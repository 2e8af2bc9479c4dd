// Built-in networks, built once: runs of the same network share it.
#pragma once

#include <memory>

#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"

namespace jostle::dnn {

// The network for an input of this size, as the model's builder makes it; throws what that throws.
// Thread-safe.
[[nodiscard]] std::shared_ptr<const Network> built_network(const Model& model, int input);

}  // namespace jostle::dnn
