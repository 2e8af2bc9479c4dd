// From layers to the pieces that run as one kernel each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/dnn/lowering.hpp"
#include "models/dnn/network.hpp"

namespace jostle::dnn {

// A layer and what was folded into it. Elements and MACs are of one image.
struct FusedLayer {
  std::string name;
  Op op = Op::conv;
  bool depthwise = false;
  int window = 1;
  int groups = 1;
  Shape in;
  Shape out;
  std::int64_t weights = 0;
  std::int64_t macs = 0;
  std::int64_t residual_elements = 0;  // second operand of an addition
  int folded = 0;                      // layers folded into this one
};

// Lowering::framework: every layer on its own. Lowering::optimised: batch norm, activation and the addition
// of a branch fold into the convolution (or linear layer) before them, as TensorRT does; an addition goes to
// the last of its operands. What nothing can take stays a piece of its own. In an order in which they can
// run.
[[nodiscard]] std::vector<FusedLayer> fuse(const Network& network, Lowering lowering);

}  // namespace jostle::dnn
