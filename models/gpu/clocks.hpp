// Kernel times at other clocks than those they were given at.
#pragma once

#include "models/gpu/kernel.hpp"

namespace jostle::gpu {

// The kernel's arithmetic part at `gpu` times the clock, its memory part at `memory` times the bandwidth, its
// fixed part as it was (both > 0, 1 = as given). The split is kept in proportion to the new parts.
[[nodiscard]] Kernel at_clocks(Kernel kernel, double gpu, double memory);

// Every kernel so; and the same into `there`, in the room it has (a re-timed copy, again and again), of which
// only kernels and sums are set.
[[nodiscard]] KernelSequence at_clocks(KernelSequence kernels, double gpu, double memory);
void at_clocks(const KernelSequence& given, double gpu, double memory, KernelSequence& there);

}  // namespace jostle::gpu
