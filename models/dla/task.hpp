// The cost of a subgraph of a network on a DLA.
//
// A layer takes max(operations / (clock · rate · efficiency), bytes / bandwidth) + a fixed time (a
// convolution of 1 x 1 reaches only a part of that efficiency): compute and memory transfers overlap, and
// layers run one after another. Channels are stored in groups of 32 bytes (TensorRT's formats CHW32 and
// CHW16), images of up to 4 channels unpadded. Padding counts as work and as bytes.
#pragma once

#include <cstdint>
#include <span>

#include "models/dnn/fusion.hpp"
#include "models/dnn/precision.hpp"
#include "sim/time.hpp"

namespace jostle::dla {

struct Spec;

// A subgraph for one batch: its time when it has the engine and its share of the memory to itself.
struct Task {
  sim::Duration duration;
  sim::Duration memory;   // the part of it spent in memory-bound layers
  double dram_bytes = 0;  // read and written
  double operations = 0;  // operations of its multipliers, padding included
};

// The clocks that times are computed for.
struct Clocks {
  double dla_hz = 0;
  double memory = 1;  // share of the memory's full bandwidth
};

// `precision` is fp16 or int8. Throws std::invalid_argument if `spec` has no rate for the precision, or if
// the task is longer than can be simulated.
[[nodiscard]] Task task_of(std::span<const dnn::FusedLayer> layers, std::int64_t batch,
                           dnn::Precision precision, const Spec& spec, const Clocks& clocks);

}  // namespace jostle::dla
