// The GPU's devfreq: a governor and its table of clocks. A value type that is polled. The caller reads the
// GPU, applies the clock and models the delay until it takes effect.
#pragma once

#include "models/power/governors/names.hpp"
#include "models/power/governors/podgov.hpp"
#include "models/power/governors/wmark_active.hpp"

namespace jostle::power {

// Simple ondemand: the highest clock if the load is above upthreshold; the same clock if it is at most
// downdifferential below that; otherwise the clock at which the load would be in the middle between the two
// (devfreq_simple_ondemand_func).
[[nodiscard]] double simple_ondemand(const SimpleOndemandSettings& settings, const OppTable& table,
                                     const GpuReading& reading);

class GpuScaling {
 public:
  GpuScaling(GpuGovernor governor, OppTable table, const GpuSettings& settings = {});

  // Zero: this governor never changes the clock by itself; only changed limits do.
  [[nodiscard]] sim::Duration interval() const;
  // The clock at the start: the lowest, unless the governor fixes another.
  [[nodiscard]] double start() const;
  // The clock to request: an entry of the table, or its upper limit. Like the driver, the caller polls once
  // more with `suspended` when the GPU is powered off, and not while it is off.
  double poll(const GpuReading& reading);

  [[nodiscard]] const OppTable& table() const { return table_; }
  // Limits set from outside, for example by a power cap. They take effect at the next poll() or at start().
  void set_limits(double min_hz, double max_hz);

 private:
  [[nodiscard]] double next(const GpuReading& reading);

  GpuGovernor governor_;
  OppTable table_;
  double wish_hz_ = 0;  // the last requested clock
  GpuSettings settings_;
  PodgovR35 podgov_r35_;
  PodgovR38 podgov_r38_;
  WmarkActive wmark_active_;
};

}  // namespace jostle::power
