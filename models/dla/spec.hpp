// What a deep-learning accelerator (DLA) is: NVIDIA's fixed-function engines for convolutional networks, of
// which a Jetson has none, one or two.
#pragma once

#include <vector>

#include "sim/time.hpp"

namespace jostle::dla {

// Of the two precisions that a DLA computes in.
struct PerPrecision {
  double fp16 = 0, int8 = 0;
};

// One engine; a board has `count` equal ones.
struct Spec {
  int count = 0;  // 0: the board has none
  double max_clock_hz = 0;
  std::vector<double> clock_table_hz;  // ascending; empty: any clock up to the maximum
  PerPrecision ops_per_clock;          // dense, a multiply-add is two; 0: the precision does not exist here
  PerPrecision efficiency;             // share of them that a convolution reaches
  double bandwidth_bytes_per_s = 0;    // most that one engine moves, at the memory's maximum clock
  double sram_bytes = 0;               // tensors of a batch up to this size stay inside
  sim::Duration layer_fixed;           // between two layers of a subgraph
  sim::Duration submit;                // from the submission of a subgraph until the engine has it
  sim::Duration border;                // between a subgraph and work on the GPU, either way: reformat, fence
};

}  // namespace jostle::dla
