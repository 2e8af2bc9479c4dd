// From layers to the pieces that run as one kernel each.
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

// A layer and what was folded into it. Elements and MACs are of one image.
struct FusedLayer {
  std::string name;
  Op op = Op::conv;
  bool depthwise = false;
  std::int64_t window_area = 1;
  int stride = 1;
  int dilation = 1;
  int groups = 1;
  int depth = 0;  // matmul: length of the axis that is summed over
  Shape in;
  Shape out;
  std::int64_t weights = 0;     // read besides its inputs
  std::int64_t parameters = 0;  // learned: of what it computes alone, not of what was folded into it
  std::int64_t macs = 0;
  std::int64_t other_elements = 0;  // read besides `in`: second operands of sums, products and matmuls
  int folded = 0;                   // layers folded into this one
  Activation activation = Activation::none;  // the last one in it
  // Pieces whose results it reads, ascending, each once; empty: the network's input alone.
  std::vector<std::size_t> inputs;
  bool reads_input = false;  // reads the network's input, whatever else it reads
  bool last = false;         // nothing reads its result: an output of the network

  // Of training (training.hpp).
  // A product that is summed over positions and images: reads `in` and `out`, writes a gradient of weights.
  bool weight_gradient = false;
  std::int64_t once = 0;  // elements moved once a batch, whatever its size: gradients, states of weights
  std::optional<Precision> precision;  // of its own, whatever the network's is
};

// In an order in which they can run. What only renames bytes (input, reshape, slice) is nobody's piece.
//  - Lowering::framework: every layer on its own.
//  - Lowering::optimised, as TensorRT does (developer guide, "Types of fusions"): batch norm, ReLU and the
//    addition of a branch fold into the convolution before them, an addition into the last of its operands;
//    other activations form pointwise kernels of their own, which take the pointwise layers that follow, and
//    a normalisation after those; a linear layer takes any activation; matmul, softmax, matmul become one
//    (attention); concatenation is free, since its operands are written in
//    place, all but slices of other tensors, which are copied; a transposition beside a
//    matmul is part of it.
[[nodiscard]] std::vector<FusedLayer> fuse(const Network& network, Lowering lowering);

}  // namespace jostle::dnn
