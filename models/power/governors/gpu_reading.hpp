// The reading with which a governor of the GPU's clock is polled.
#pragma once

#include <cstdint>

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

}  // namespace jostle::power
