// Kernel times at clocks other than the reference clocks.
#pragma once

#include "models/gpu/kernel.hpp"
#include "models/gpu/rates.hpp"

namespace jostle::gpu {

// The kernel with its arithmetic part at `rates.clock` times the clock, or what the SMs have of it
// (droop.hpp), its memory part at `rates.memory` times the bandwidth, and its fixed part unchanged. The
// shares are updated in proportion to the new parts.
[[nodiscard]] Kernel at_clocks(Kernel kernel, const Rates& rates);

// Applies at_clocks() to every kernel. The second overload writes into the existing storage of `there` (for a
// copy that is re-timed repeatedly) and sets only kernels and sums.
[[nodiscard]] KernelSequence at_clocks(KernelSequence kernels, const Rates& rates);
void at_clocks(const KernelSequence& given, const Rates& rates, KernelSequence& there);

}  // namespace jostle::gpu
