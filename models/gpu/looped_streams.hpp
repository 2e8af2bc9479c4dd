// Streams that are closed loops of kernels, alone on a GPU: what the law of sharing in space (dispatcher.hpp)
// gives each of them, without hosts, turns and clocks that move.
#pragma once

#include <span>
#include <vector>

#include "models/gpu/dispatcher.hpp"
#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"
#include "sim/time.hpp"

namespace jostle::gpu::space {

struct LoopedStream {
  std::vector<Work> kernels;  // of one loop, at least one
  // Before each of them: from the end of the kernel before it to when it joins the line. Same length.
  std::vector<sim::Duration> gaps;
};

// A stream that replays `kernels` as a graph, with its launch gaps.
[[nodiscard]] LoopedStream looped(const Spec& gpu, const KernelSequence& kernels);

// Loops per second of each stream: of `counted` loops after the first `skipped` ones. Streams go on until all
// have been counted. `counted` is at least 1.
[[nodiscard]] std::vector<double> loops_per_s(const Spec& gpu, std::span<const LoopedStream> streams,
                                              int skipped, int counted);

}  // namespace jostle::gpu::space
