// What a subgraph of a network costs on a DLA.
//
// A layer takes max(operations / (clock · rate · efficiency), bytes / bandwidth) + a fixed time: engine and
// memory work at once, layers follow one another. Channels are held in groups of 32 bytes (the CHW32 and
// CHW16 formats of TensorRT), images of up to 4 channels as they are; padding counts as work and as bytes.
#pragma once

#include <cstdint>
#include <span>

#include "models/dla/spec.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/precision.hpp"
#include "sim/time.hpp"

namespace jostle::dla {

// A subgraph for one batch: how long it takes with the engine and its share of the memory to itself.
struct Task {
  sim::Duration duration;
  sim::Duration memory;   // the part of it in layers that are bound by memory
  double dram_bytes = 0;  // read and written
};

// What the engine runs at.
struct Clocks {
  double dla_hz = 0;
  double memory = 1;  // share of the memory's full bandwidth
};

// `precision` is fp16 or int8. Throws std::invalid_argument for one that `spec` has no rate for, and for a
// task longer than can be simulated.
[[nodiscard]] Task task_of(std::span<const dnn::FusedLayer> layers, std::int64_t batch,
                           dnn::Precision precision, const Spec& spec, const Clocks& clocks);

}  // namespace jostle::dla
