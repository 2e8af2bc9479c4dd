// Streams that are closed loops of kernels, alone on a GPU: their throughput under the model of sharing in
// space (models/gpu/dispatcher.hpp), without hosts, turns and changing clocks.
#pragma once

#include <span>
#include <vector>

#include "models/gpu/dispatcher.hpp"
#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"
#include "sim/time.hpp"

namespace jostle::calibration {

struct LoopedStream {
  std::vector<gpu::space::Work> kernels;  // the kernels of one loop, at least one
  // The gap before each kernel: from the end of the previous kernel to when this one joins the queue. Same
  // length.
  std::vector<sim::Duration> gaps;
};

// A stream that replays `kernels` as a graph, with its launch gaps.
[[nodiscard]] LoopedStream looped(const gpu::Spec& gpu, const gpu::KernelSequence& kernels);

// Loops per second of each stream, over `counted` loops (at least 1) after the first `skipped` ones (at least
// 1). Streams continue until all have been counted.
[[nodiscard]] std::vector<double> loops_per_s(const gpu::Spec& gpu, std::span<const LoopedStream> streams,
                                              int skipped, int counted);

}  // namespace jostle::calibration
