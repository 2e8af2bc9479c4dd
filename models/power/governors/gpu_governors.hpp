// The governors of the GPU's clock (devfreq).
#pragma once

#include <cstdint>

#include "models/power/governors/governor.hpp"
#include "sim/time.hpp"

namespace jostle::power {

// The activity of the GPU since the last poll.
struct GpuReading {
  sim::Time now;  // since the start of the run
  sim::Duration elapsed, busy;
  double hz = 0;           // its clock
  bool suspended = false;  // the GPU is not powered
  sim::Time changed = {};  // the last poll that changed the clock; devfreq() sets it
};

// The driver counts time in microseconds.
[[nodiscard]] constexpr std::int64_t whole_us(sim::Duration duration) {
  return duration.ps() / 1'000'000;
}

// Load since the last poll, in thousandths.
[[nodiscard]] constexpr std::int64_t load_of(const GpuReading& reading) {
  const std::int64_t total = whole_us(reading.elapsed);
  return total > 0 ? 1000 * whole_us(reading.busy) / total : 0;
}

// Like the driver, the caller polls once with `suspended` when the GPU is powered off, then not again until
// it is on.
using GpuScaling = Scaling<GpuSettings, GpuReading>;

// All of them, in the order of messages and schemas.
[[nodiscard]] std::span<const GpuGovernor> gpu_governors();

}  // namespace jostle::power
