// The GPU's devfreq: its governor over its table of clocks. A value type that is polled; who polls it reads
// the GPU, applies the clock and waits for it to act.
#pragma once

#include "models/power/governors/names.hpp"
#include "models/power/governors/podgov.hpp"
#include "models/power/governors/wmark_active.hpp"

namespace jostle::power {

// The highest clock above upthreshold; the same clock down to downdifferential below it; under that the clock
// at which the load would be half way between (devfreq_simple_ondemand_func).
[[nodiscard]] double simple_ondemand(const SimpleOndemandSettings& settings, const OppTable& table,
                                     const GpuReading& reading);

class GpuScaling {
 public:
  GpuScaling(GpuGovernor governor, OppTable table, const GpuSettings& settings = {});

  // Zero: this governor never changes its mind, only its limits change its clock.
  [[nodiscard]] sim::Duration interval() const;
  // The clock at the start: the lowest unless the governor holds another.
  [[nodiscard]] double start() const;
  // The clock to ask for: an entry of the table, or its upper limit. Poll once more when the GPU loses power,
  // with `suspended`, as the driver does; not while it is without.
  double poll(const GpuReading& reading);

  [[nodiscard]] const OppTable& table() const { return table_; }
  // Limits that others set, such as a power cap; they act from the next poll, or start(), on.
  void set_limits(double min_hz, double max_hz);

 private:
  [[nodiscard]] double next(const GpuReading& reading);

  GpuGovernor governor_;
  OppTable table_;
  double wish_hz_ = 0;  // the last answer
  GpuSettings settings_;
  PodgovR35 podgov_r35_;
  PodgovR38 podgov_r38_;
  WmarkActive wmark_active_;
};

}  // namespace jostle::power
