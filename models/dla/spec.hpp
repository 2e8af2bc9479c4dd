// Parameters of a deep-learning accelerator (DLA): NVIDIA's fixed-function engine for convolutional networks.
// A Jetson has none, one or two.
#pragma once

#include <vector>

#include "sim/time.hpp"

namespace jostle::dla {

// A value for each of the two precisions that a DLA supports.
struct PerPrecision {
  double fp16 = 0, int8 = 0;
};

// One engine. A board has `count` equal ones.
struct Spec {
  int count = 0;  // 0: the board has none
  double max_clock_hz = 0;
  std::vector<double> clock_table_hz;  // ascending; empty: any clock up to the maximum
  // Dense operations, where a multiply-add counts as two; 0: the DLA does not support the precision.
  PerPrecision ops_per_clock;
  PerPrecision efficiency;           // share of the peak that a convolution reaches
  double pointwise = 1;              // part of that share that a convolution with a window of 1 x 1 reaches
  double bandwidth_bytes_per_s = 0;  // maximum of one engine, at the memory's maximum clock
  double sram_bytes = 0;             // tensors of a batch up to this size stay on the chip
  sim::Duration layer_fixed;         // time between two layers of a subgraph
  // Time from the submission of a subgraph until the engine has received it.
  sim::Duration submit;
  // Time between a subgraph and work on the GPU, in either direction: reformat, fence.
  sim::Duration border;
};

}  // namespace jostle::dla
