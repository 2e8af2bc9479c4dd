// The over-current alarms of a module's input: while one lasts, clock pulses of CPU and GPU are skipped.
//
// The hardware acts by itself, at once, and knows no operating points: the voltage stays, so power falls with
// the clock only. An alarm that is not removed by this comes and goes.
#pragma once

#include <optional>

#include "models/power/controllers/spec.hpp"
#include "models/power/controllers/throttle.hpp"

namespace jostle::power {

class OverCurrent {
 public:
  explicit OverCurrent(const OverCurrentSpec& spec, const OverCurrentLimits& limits = {});

  // How often it is to be read: the shortest of its times, but not more often than each millisecond.
  [[nodiscard]] sim::Duration interval() const;

  // The mean of the interval that ends now. What follows holds until the next reading.
  Throttle read(double watts, sim::Duration interval);
  [[nodiscard]] Throttle throttle() const { return {.ratio = ratio_}; }
  [[nodiscard]] bool alarmed() const { return average_.left > none || instantaneous_.left > none; }

 private:
  static constexpr sim::Duration none = sim::Duration::zero();
  struct Alarm {
    OverCurrentAlarm spec;
    bool there = false;
    double threshold_w = 0;
    double block_j = 0;  // of the block under way
    sim::Duration block;
    sim::Duration left;  // until it is released, if nothing happens
    void read(double watts, sim::Duration interval);
  };
  static Alarm alarm(const std::optional<OverCurrentAlarm>& spec, std::optional<double> amperes,
                     double volts);

  Alarm average_, instantaneous_;
  double ratio_ = 1;
};

}  // namespace jostle::power
