// Over-current alarms of a module's input: while an alarm is active, clock pulses of CPU and GPU are skipped.
//
// The hardware acts without software and at once, and does not use operating points: the voltage is
// unchanged, so power falls only with the clock. If skipping pulses does not remove the cause, the alarm
// comes and goes.
#pragma once

#include <optional>

#include "models/power/controllers/spec.hpp"
#include "models/power/controllers/throttle.hpp"

namespace jostle::power {

class OverCurrent {
 public:
  explicit OverCurrent(const OverCurrentSpec& spec, const OverCurrentLimits& limits = {});

  // Interval at which the controller must be read: the shortest of its times, but at least 1 ms.
  [[nodiscard]] sim::Duration interval() const;

  // Reads the mean power of the interval that ends now. The result holds until the next reading.
  Throttle read(double watts, sim::Duration interval);
  [[nodiscard]] Throttle throttle() const { return {.ratio = ratio_}; }
  [[nodiscard]] bool alarmed() const { return average_.left > none || instantaneous_.left > none; }

 private:
  static constexpr sim::Duration none = sim::Duration::zero();
  struct Alarm {
    OverCurrentAlarm spec;
    bool there = false;
    double threshold_w = 0;
    double block_j = 0;  // energy of the current block
    sim::Duration block;
    // Time until the alarm is released if there is no further reading above the threshold.
    sim::Duration left;
    void read(double watts, sim::Duration interval);
  };
  static Alarm alarm(const std::optional<OverCurrentAlarm>& spec, std::optional<double> amperes,
                     double volts);

  Alarm average_, instantaneous_;
  double ratio_ = 1;
};

}  // namespace jostle::power
