// The cpufreq policy of a cluster: a governor and its table of clocks. A value type that is polled. The
// caller reads the cores, applies the clock and models the delay until it takes effect.
#pragma once

#include "models/power/governors/load_governors.hpp"
#include "models/power/governors/names.hpp"
#include "models/power/governors/opp.hpp"
#include "models/power/governors/schedutil.hpp"

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

class CpuScaling {
 public:
  // `hardware_max_hz`: maximum clock of the hardware; the limits of `table` are those of the power mode.
  CpuScaling(CpuGovernor governor, OppTable table, double hardware_max_hz, const CpuSettings& settings = {});

  // Zero: this governor never changes the clock by itself; only changed limits do.
  [[nodiscard]] sim::Duration interval() const;
  // The clock at the start: the lowest, unless the governor fixes another.
  [[nodiscard]] double start() const;
  // The clock to request: an entry of the table, or its upper limit.
  double poll(const CpuReading& reading);

  [[nodiscard]] const OppTable& table() const { return table_; }
  // Limits set from outside, for example by a power cap. They take effect at the next poll() or at start().
  void set_limits(double min_hz, double max_hz);

 private:
  CpuGovernor governor_;
  OppTable table_;
  double hardware_max_hz_;
  CpuSettings settings_;
  Schedutil schedutil_;
  Conservative conservative_;
};

}  // namespace jostle::power
