// Kernel times at clocks other than the reference clocks.
#pragma once

#include "models/gpu/kernel.hpp"

namespace jostle::gpu {

// The kernel with its arithmetic part at `gpu` times the clock, its memory part at `memory` times the
// bandwidth, and its fixed part unchanged (both > 0; 1: as given). The shares are updated in proportion to
// the new parts.
[[nodiscard]] Kernel at_clocks(Kernel kernel, double gpu, double memory);

// Applies at_clocks() to every kernel. The second overload writes into the existing storage of `there` (for a
// copy that is re-timed repeatedly) and sets only kernels and sums.
[[nodiscard]] KernelSequence at_clocks(KernelSequence kernels, double gpu, double memory);
void at_clocks(const KernelSequence& given, double gpu, double memory, KernelSequence& there);

}  // namespace jostle::gpu
