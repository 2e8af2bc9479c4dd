// A cluster's cpufreq policy: its governor over its table of clocks. A value type that is polled; who polls
// it reads the cores, applies the clock and waits for it to act.
#pragma once

#include "models/power/governors/load_governors.hpp"
#include "models/power/governors/names.hpp"
#include "models/power/governors/opp.hpp"
#include "models/power/governors/schedutil.hpp"

namespace jostle::power {

// What a cluster did since the last poll.
struct CpuReading {
  sim::Duration elapsed;
  double hz = 0;                 // its clock
  std::span<const double> busy;  // share of the time, of each online core
};

class CpuScaling {
 public:
  // `hardware_max_hz`: the highest clock of the hardware; the table's limits are those of the power mode.
  CpuScaling(CpuGovernor governor, OppTable table, double hardware_max_hz, const CpuSettings& settings = {});

  // Zero: this governor never changes its mind, only its limits change its clock.
  [[nodiscard]] sim::Duration interval() const;
  // The clock at the start: the lowest unless the governor holds another.
  [[nodiscard]] double start() const;
  // The clock to ask for: an entry of the table, or its upper limit.
  double poll(const CpuReading& reading);

  [[nodiscard]] const OppTable& table() const { return table_; }
  // Limits that others set, such as a power cap; they act from the next poll, or start(), on.
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
