// Layer fusion: from layers to fused layers, each of which runs as one kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/dnn/graph/layer.hpp"
#include "models/dnn/lowering.hpp"
#include "models/dnn/precision.hpp"

namespace jostle::dnn {

class Network;

// A layer and what was folded into it. Elements and MACs are those of one image.
struct FusedLayer {
  std::string name;
  Op op = Op::conv;
  bool depthwise = false;
  bool volume = false;  // slides through a volume
  std::int64_t window_area = 1;
  int stride = 1;
  int dilation = 1;
  int groups = 1;
  int depth = 0;  // matmul: length of the axis that is summed over
  Shape in;
  Shape out;
  std::int64_t weights = 0;     // read in addition to the inputs
  std::int64_t parameters = 0;  // learned; only of the main layer, not of what was folded into it
  std::int64_t macs = 0;
  std::int64_t other_elements = 0;  // read in addition to `in`: second operands of sums, products and matmuls
  int folded = 0;                   // number of layers folded into this one
  Activation activation = Activation::none;  // the last one in it
  // Fused layers whose results it reads, ascending, each once; empty: only the network's input.
  std::vector<std::size_t> inputs;
  bool reads_input = false;  // reads the network's input, possibly among other tensors
  bool last = false;         // no layer reads its result: an output of the network
  // Copies a tensor that another concatenation holds too. Needed only where channels lie together (NHWC):
  // apart, what was concatenated before is the beginning of the next.
  bool shared_copy = false;

  // For training (training.hpp).
  // A product that is summed over positions and images: reads `in` and `out`, writes a gradient of weights.
  bool weight_gradient = false;
  // Elements moved once per batch, independent of its size: gradients, states of weights.
  std::int64_t once = 0;
  std::optional<Precision> precision;  // of this layer, overrides that of the network

  // For language models (models/llm).
  double weight_bits = 0;    // of a weight in memory; 0: as in the precision
  double unpack_cycles = 0;  // of an SM, to turn a weight into what it multiplies
  double row_cycles = 0;     // of an SM, to begin and end the dot products of an output channel
  // A linear layer whose groups are experts: how many of them are read, by all tokens of a batch together,
  // which share them evenly. 0: every group is read, by every token.
  double experts = 0;

  // Over the weights of one image.
  [[nodiscard]] double sets_of_weights() const { return experts > 0 ? experts / groups : 1; }
};

// The fused layers of a network, in an order in which they can run. Layers that only rename bytes (input,
// reshape, slice) do not appear.
//  - Lowering::framework: every layer separately.
//  - Lowering::optimised, as TensorRT does (developer guide, "Types of fusions"): batch norm, ReLU and the
//    addition of a branch fold into the convolution before them, an addition into the last of its operands;
//    other activations form pointwise kernels of their own, which absorb the pointwise layers that follow and
//    a normalisation after those; a linear layer absorbs any activation; matmul, softmax, matmul become one
//    kernel (attention); concatenation is free, since its operands are written in place, except for slices of
//    other tensors, which are copied; a transposition next to a matmul is part of it.
//  - Lowering::graph, as ONNX Runtime does before it calls cuDNN: batch norm folds into the weights and bias
//  of
//    the convolution or linear layer before it; ReLU, or the addition of a branch and ReLU, fold into a
//    convolution. A convolution without ReLU adds its bias in a kernel of its own. Every other layer is a
//    kernel, also ReLU6 (a Clip), slices and concatenations, which are copied; a normalisation is one kernel.
[[nodiscard]] std::vector<FusedLayer> fuse(const Network& network, Lowering lowering);

}  // namespace jostle::dnn
