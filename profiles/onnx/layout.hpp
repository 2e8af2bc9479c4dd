// Determines which dimension of a tensor holds the channels: the shape of a layer needs it and ONNX does not
// specify it.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <vector>

#include "models/dnn/graph/network.hpp"
#include "profiles/onnx/graph.hpp"

namespace jostle::profiles::onnx_reader {

enum class Layout {
  first,    // batch, channels, height, width: images
  last,     // batch, positions ..., channels: sequences, and images for linear layers
  grouped,  // batch, groups ..., rows, columns: parallel matrices; channels are groups x columns
};

// True if the first factor is multiplied by stored weights along its channels: MatMul and Gemm as linear
// layers.
[[nodiscard]] bool is_linear(const Graph& graph, const Node& node);

// The layout of every value, derived from the operators that make and read it.
[[nodiscard]] std::vector<Layout> layouts(const Graph& graph);

// The shape of one image in a tensor that holds `batch` images. A first dimension that is a multiple of the
// batch (windows, heads) holds several rows or groups of each image. A tensor without a batch dimension is
// shared by all images. Throws OnnxError if the tensor is too large for a Shape.
[[nodiscard]] dnn::Shape shape_of(const Value& value, Layout layout, std::int64_t batch);

}  // namespace jostle::profiles::onnx_reader
