// Kernel times at other clocks than those they were given at.
#pragma once

#include "models/dnn/kernel.hpp"

namespace jostle::dnn {

// Each kernel's arithmetic part at `gpu` times the clock, its memory part at `memory` times the bandwidth,
// its fixed part as it was (both > 0, 1 = as given). Splits are kept in proportion to the new parts.
[[nodiscard]] KernelSequence at_clocks(KernelSequence kernels, double gpu, double memory);

}  // namespace jostle::dnn
