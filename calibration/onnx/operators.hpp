// What each operator of ONNX is to the cost model.
//
// Part of the ONNX reader, not for use elsewhere; see onnx.hpp.
#pragma once

#include <string_view>

#include "models/dnn/graph/network.hpp"

namespace jostle::calibration::onnx_reader {

// How a node becomes a layer.
enum class Kind {
  convolution,
  product,     // MatMul and Gemm: linear where one side is stored
  norm,        // a mean and a scale for each channel
  layer_norm,  // over the last dimensions
  pool,        // of a window
  global_pool,
  reduction,    // over some dimensions; of the whole plane: a pool
  elementwise,  // of one or more tensors, broadcast against each other
  softmax,
  resize,
  concat,
  slice,
  split,
  gather,     // of a stored table: an embedding
  view,       // the same bytes by another shape
  alias,      // the same tensor: nothing runs
  transpose,  // the bytes in another order
  bytes,      // no cost model of its own, and bound by memory
  unknown,    // the same, but nobody knows
};

struct Operator {
  std::string_view type;
  Kind kind = Kind::unknown;
  dnn::Op op = dnn::Op::other;
  dnn::Activation activation = dnn::Activation::none;
  // Where the weights (or the second factor) and the bias stand among the inputs.
  int weights = 1, bias = 2;
};

// By the type as in Node::type; kind unknown if it is not in the table.
[[nodiscard]] const Operator& operator_of(std::string_view type);

}  // namespace jostle::calibration::onnx_reader
