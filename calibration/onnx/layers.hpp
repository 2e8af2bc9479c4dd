// From the graph of an ONNX file to the layers of a network.
//
// Part of the ONNX reader, not for use elsewhere; see onnx.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/onnx/graph.hpp"
#include "models/dnn/graph/network.hpp"

namespace jostle::calibration::onnx_reader {

struct Layers {
  dnn::Network network;
  std::int64_t batch = 1;             // images the file's shapes are of
  std::vector<std::string> warnings;  // a sentence each
};

// A layer for every node that costs something. Throws OnnxError.
[[nodiscard]] Layers layers_of(const Graph& graph);

}  // namespace jostle::calibration::onnx_reader
