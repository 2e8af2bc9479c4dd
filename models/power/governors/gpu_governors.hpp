// The governors of the GPU's clock (devfreq).
#pragma once

#include "models/power/governors/governor.hpp"
#include "models/power/governors/gpu_reading.hpp"

namespace jostle::power {

// Like the driver, the caller polls once with `suspended` when the GPU is powered off, then not again until
// it is on.
using GpuScaling = Scaling<GpuSettings, GpuReading>;

// All of them, in the order of messages and schemas.
[[nodiscard]] std::span<const GpuGovernor> gpu_governors();

}  // namespace jostle::power
