// The governors of a cluster's clock (cpufreq).
#pragma once

#include "models/power/governors/governor.hpp"

namespace jostle::power {

// The activity of a cluster since the last poll.
struct CpuReading {
  sim::Duration elapsed;
  double hz = 0;                 // its clock
  std::span<const double> busy;  // share of time that each online core was busy
  // By online core: the highest estimated demand of its runnable threads since the last poll, as a share of
  // its capacity at the hardware's maximum clock.
  std::span<const double> estimated = {};
};

using CpuScaling = Scaling<CpuSettings, CpuReading>;

// All of them, in the order of messages and schemas.
[[nodiscard]] std::span<const CpuGovernor> cpu_governors();

}  // namespace jostle::power
