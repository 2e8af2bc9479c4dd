// A network as text: for people, for programs and for Graphviz.
#pragma once

#include <cstdint>
#include <string>

#include "models/dnn/graph/network.hpp"

namespace jostle::cli {

// `name` is that of a built-in model, or a file; `description` may be empty. Neither it nor the names of
// layers need be printable.
struct NamedNetwork {
  std::string name;
  std::string description;
  dnn::Network network;
};

// Of one batch. `traffic`: elements of the activations that the layers read and write, fused as far as
// dnn::fuse does for an optimised engine, each once.
struct NetworkTotals {
  std::int64_t parameters = 0;
  std::int64_t macs = 0;
  std::int64_t traffic = 0;
};
// Throws std::invalid_argument for a batch whose counts exceed 64 bits.
[[nodiscard]] NetworkTotals totals_of(const dnn::Network& network, std::int64_t batch);

// "64×56×56": channels, height, width; without trailing ones.
[[nodiscard]] std::string shape_text(const dnn::Shape& shape);
// The operator, or which activation it is.
[[nodiscard]] std::string operator_text(const dnn::Layer& layer);
// "3×3", with what it does besides: "3×3 /2" strides by two, "3×3 ·4" is dilated by four. Empty where nothing
// slides.
[[nodiscard]] std::string window_text(const dnn::Layer& layer);

// A row a layer and the totals below; `width` and `colour` are the terminal's.
[[nodiscard]] std::string network_table(const NamedNetwork& shown, std::int64_t batch, int width,
                                        bool colour);
// One line: an object with schema jostle.network/1 (docs/networks.md).
[[nodiscard]] std::string network_json(const NamedNetwork& shown, std::int64_t batch);
// A header and a row a layer.
[[nodiscard]] std::string network_csv(const NamedNetwork& shown, std::int64_t batch);
// The graph, for `dot`.
[[nodiscard]] std::string network_graphviz(const NamedNetwork& shown);

}  // namespace jostle::cli
