// The governors of the GPU's clock (devfreq).
#pragma once

#include "models/power/governors/governor.hpp"
#include "models/power/governors/gpu_reading.hpp"

namespace jostle::power {

// Like the driver, the caller polls once more with `suspended` when the GPU is powered off, and not while it
// is off.
using GpuScaling = Scaling<GpuSettings, GpuReading>;

// All of them, in the order of messages and schemas.
[[nodiscard]] std::span<const GpuGovernor> gpu_governors();

}  // namespace jostle::power
