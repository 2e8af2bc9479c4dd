// Reads an ONNX file as a network: its layers and shapes, without its weights.
//
// Shapes come from ONNX's schemas and shape inference, and from the arithmetic on shapes that exporters leave
// in the graph. docs/onnx.md describes what is supported and what is approximated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/problems.hpp"
#include "models/dnn/graph/network.hpp"

namespace jostle::profiles {

inline constexpr std::size_t max_onnx_bytes = std::size_t{1} << 30U;

struct OnnxNetwork {
  dnn::Network network;               // network with the shapes of one image
  std::int64_t batch = 1;             // number of images in the file's shapes
  std::int64_t opset = 0;             // version of ONNX's own operators
  std::uint64_t hash = 0;             // hash of the file's bytes
  std::vector<std::string> warnings;  // approximations, one sentence each, for the user
  // The share of the nodes, or of the bytes that they move, that is not understood, whichever is more.
  double missing = 0;
};

// `input` (input_sides.hpp) is the length of every open dimension except the batch; those of a rectangle are
// the planes of images. If the file cannot be read, the cause is reported as a problem that names it. Stored
// weights are not kept; files with external weights are read without them.
[[nodiscard]] std::optional<OnnxNetwork> read_onnx(const std::string& path, std::optional<std::int64_t> input,
                                                   input::Problems& problems);

// The same for the bytes of a file; `origin` names it in messages.
[[nodiscard]] std::optional<OnnxNetwork> parse_onnx(std::string_view bytes, const std::string& origin,
                                                    std::optional<std::int64_t> input,
                                                    input::Problems& problems);

}  // namespace jostle::profiles
