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

// A layer with the layers folded into it. Elements and MACs are those of one image.
struct FusedLayer {
  std::string name;
  Op op = Op::conv;
  bool depthwise = false;
  bool volume = false;  // the window slides through a volume
  std::int64_t window_area = 1;
  int stride = 1;
  int dilation = 1;
  int groups = 1;
  int depth = 0;  // matmul: length of the axis that is summed over
  Shape in;
  Shape out;
  std::int64_t weights = 0;     // read in addition to the inputs
  std::int64_t parameters = 0;  // learned numbers of the main layer only, not of folded layers
  std::int64_t macs = 0;
  std::int64_t other_elements = 0;  // read in addition to `in`: second operands of sums, products and matmuls
  int folded = 0;                   // number of layers folded into this one
  Activation activation = Activation::none;  // the last activation in it
  // Indices of the fused layers whose results it reads, ascending, each once; empty: it reads only the
  // network's input.
  std::vector<std::size_t> inputs;
  bool reads_input = false;  // reads the network's input, possibly among other tensors
  bool last = false;         // no layer reads its result: an output of the network
  // True if it copies a tensor that another concatenation holds too. The copy is needed only where channels
  // lie together (NHWC). Where they lie apart (NCHW), the tensors concatenated before are the beginning of
  // the next result.
  bool shared_copy = false;

  // Fields for training (training.hpp).
  // A product that is summed over positions and images: it reads `in` and `out`, and writes a gradient of
  // weights.
  bool weight_gradient = false;
  // Elements moved once per batch, independent of its size: gradients, states of weights.
  std::int64_t once = 0;
  std::optional<Precision> precision;  // set if this layer's differs; overrides that of the network

  // Fields for language models (models/llm).
  double weight_bits = 0;    // bits of a weight in memory; 0: those of the precision
  double unpack_cycles = 0;  // SM cycles to unpack a weight for the multiplication
  double row_cycles = 0;     // SM cycles to begin and end the dot products of an output channel
  // Set for a linear layer whose groups are experts: how many of them all tokens of a batch together read;
  // the tokens are spread evenly over them. 0: every token reads every group.
  double experts = 0;
  // Set for attention to keys and values that earlier steps left in memory: the bits of one of their numbers.
  // `other_elements` are then those, and L2 holds none of them: the weights of a step have passed since.
  double cache_bits = 0;
  double cache_cycles = 0;  // SM cycles that one of these numbers takes behind its bytes
  // SM cycles of a block of such attention, and the number of blocks for one sequence; 0: bound by bytes
  // alone.
  double block_cycles = 0;
  int heads = 0;

  // Weights that a batch reads, relative to `weights`.
  [[nodiscard]] double sets_of_weights() const { return experts > 0 ? experts / groups : 1; }
  // Their bytes, if one of the network's precision has `bytes`.
  [[nodiscard]] double weight_bytes(double bytes) const {
    return (weight_bits > 0 ? weight_bits / 8 : bytes) * sets_of_weights() * static_cast<double>(weights);
  }
  // Bytes of keys and values that earlier steps of one sequence left.
  [[nodiscard]] double cache_bytes() const { return cache_bits / 8 * static_cast<double>(other_elements); }
};

// A layer by itself, without inputs.
[[nodiscard]] FusedLayer alone(const Layer& layer);

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
//    of the convolution or linear layer before it; ReLU, or the addition of a branch and ReLU, fold into a
//    convolution. A convolution without ReLU adds its bias in a kernel of its own. Every other layer is a
//    kernel, also ReLU6 (a Clip), slices and concatenations, which are copied; a normalisation is one kernel.
//  - Lowering::cores, as XNNPACK, MLAS and ncnn do: batch norm folds into a convolution or linear layer, a
//    rectifier into any product or sum, since both are bounds of its result. Every other layer is computed
//    by itself, and slices and concatenations are copied.
[[nodiscard]] std::vector<FusedLayer> fuse(const Network& network, Lowering lowering);

}  // namespace jostle::dnn
