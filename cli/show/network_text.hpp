// A network as a table, as JSON, as CSV and as a Graphviz graph.
#pragma once

#include <cstdint>
#include <string>

#include "models/dnn/graph/network.hpp"

namespace jostle::cli {

// `name` is a built-in model or a file; `description` may be empty. Both and the layer names may contain
// unprintable characters.
struct NamedNetwork {
  std::string name;
  std::string description;
  dnn::Network network;
};

// The totals of one batch. `traffic`: activation elements that the fused layers (dnn::fuse, optimised
// lowering) read and write.
struct NetworkTotals {
  std::int64_t parameters = 0;
  std::int64_t macs = 0;
  std::int64_t traffic = 0;
};
// Throws std::invalid_argument for a batch whose counts exceed 64 bits.
[[nodiscard]] NetworkTotals totals_of(const dnn::Network& network, std::int64_t batch);

// The shape as "64×56×56": channels, height, width; without trailing ones.
[[nodiscard]] std::string shape_text(const dnn::Shape& shape);
// The operator; for an activation layer, its function.
[[nodiscard]] std::string operator_text(const dnn::Layer& layer);
// The sliding window: "3×3"; "3×3 /2" with stride two, "3×3 ·4" with dilation four. Empty for layers without
// one.
[[nodiscard]] std::string window_text(const dnn::Layer& layer);

// The network as a table: a row per layer, and the totals; `width` and `colour` of the terminal.
[[nodiscard]] std::string network_table(const NamedNetwork& shown, std::int64_t batch, int width,
                                        bool colour);
// The network as one line of JSON: an object with schema jostle.network/1 (docs/networks.md).
[[nodiscard]] std::string network_json(const NamedNetwork& shown, std::int64_t batch);
// The network as CSV: a header and a row per layer.
[[nodiscard]] std::string network_csv(const NamedNetwork& shown, std::int64_t batch);
// The graph in the DOT language.
[[nodiscard]] std::string network_graphviz(const NamedNetwork& shown);

}  // namespace jostle::cli
