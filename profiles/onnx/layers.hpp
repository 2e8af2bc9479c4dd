// Converts the graph of an ONNX file to the layers of a network.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/dnn/graph/network.hpp"
#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

struct Layers {
  dnn::Network network;
  std::int64_t batch = 1;  // number of images in the file's shapes
  // One sentence each; if a part is not understood, the first says so.
  std::vector<std::string> warnings;
  double missing = 0;  // share of nodes, or of bytes moved, that is not understood, whichever is more
};

// Makes a layer of every node that has a cost. Throws OnnxError.
[[nodiscard]] Layers layers_of(const Graph& graph);

}  // namespace jostle::profiles::onnx_reader
