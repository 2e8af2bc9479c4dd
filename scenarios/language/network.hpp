// The network that an entry of a scenario names: built in, read from an ONNX file, or dense products.
#pragma once

#include <memory>
#include <string>

#include "models/dnn/graph/network.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

// The network that the scenario brings along: of an ONNX file, or dense products; null for other models.
[[nodiscard]] const dnn::Network* network_of_file(const Model& model);

// The name by which factors on kernel times refer to the network: its name, or the content of its file
// (profiles::content_name).
[[nodiscard]] std::string network_name(const Model& model);

// The network of an entry; null for a synthetic model.
[[nodiscard]] std::shared_ptr<const dnn::Network> network_of(const ProcessEntry& entry);

}  // namespace jostle::scenarios
