// The representation of each ONNX operator in the cost model.
//
// Part of the ONNX reader; not for use elsewhere. See onnx.hpp.
#pragma once

#include <string_view>

#include "models/dnn/graph/network.hpp"

namespace jostle::profiles::onnx_reader {

// The kind of layer that a node becomes.
enum class Kind {
  convolution,
  product,     // MatMul and Gemm: a linear layer if one side is stored
  norm,        // mean and scale for each channel
  layer_norm,  // over the last dimensions
  pool,        // pooling over a window
  global_pool,
  reduction,    // over some dimensions; over the whole plane: a pool
  elementwise,  // elementwise on one or more tensors, broadcast against each other
  softmax,
  resize,
  concat,
  slice,
  split,
  gather,     // gather from a stored table: an embedding
  view,       // the same bytes with another shape
  alias,      // the same tensor: no kernel
  transpose,  // the same bytes in another order
  chain,      // several layers: attention, recurrent layers, Einsum, what ONNX Runtime fuses (chains.hpp)
  bytes,      // no cost model of its own, bound by memory
  unknown,    // unknown operator, treated like `bytes`
};

struct Operator {
  std::string_view type;
  Kind kind = Kind::unknown;
  dnn::Op op = dnn::Op::other;
  dnn::Activation activation = dnn::Activation::none;
  // Indices of the weights (or the second factor) and of the bias among the inputs.
  int weights = 1, bias = 2;
  bool eight_bit = false;  // multiplies integers of 8 bits
};

// The operator by its type as in Node::type; kind `unknown` if it is not in the table.
[[nodiscard]] const Operator& operator_of(std::string_view type);

}  // namespace jostle::profiles::onnx_reader
