// Which dimension of a tensor holds the channels: ONNX does not say, a layer's shape needs it.
//
// Part of the ONNX reader, not for use elsewhere; see onnx.hpp.
#pragma once

#include <vector>

#include "calibration/onnx/graph.hpp"
#include "models/dnn/graph/network.hpp"

namespace jostle::calibration::onnx_reader {

enum class Layout {
  first,    // batch, channels, height, width: images
  last,     // batch, positions ..., channels: sequences, and images for linear layers
  grouped,  // batch, groups ..., rows, columns: matrices side by side; channels are groups x columns
};

// Whether a product has stored weights for the channels of its first factor: MatMul and Gemm as linear
// layers.
[[nodiscard]] bool is_linear(const Graph& graph, const Node& node);

// Of every value, from the operators that make it and read it.
[[nodiscard]] std::vector<Layout> layouts(const Graph& graph);

// The shape of one image, of a tensor that holds `batch`. A first dimension that is a multiple of the batch
// (windows, heads) holds several rows or groups of each image; a tensor without a dimension for the batch is
// shared by all. Throws OnnxError if it is beyond what a shape can hold.
[[nodiscard]] dnn::Shape shape_of(const Value& value, Layout layout, std::int64_t batch);

}  // namespace jostle::calibration::onnx_reader
