#include "models/power/controllers/over_current.hpp"

#include <algorithm>

namespace jostle::power {

OverCurrent::Alarm OverCurrent::alarm(const std::optional<OverCurrentAlarm>& spec,
                                      std::optional<double> amperes, double volts) {
  Alarm alarm;
  if (!spec) return alarm;
  alarm.spec = *spec;
  alarm.there = true;
  alarm.threshold_w = amperes && volts > 0 ? *amperes * volts : spec->threshold_w;
  return alarm;
}

OverCurrent::OverCurrent(const OverCurrentSpec& spec, const OverCurrentLimits& limits)
    : average_(alarm(spec.average, limits.average_a, spec.input_v)),
      instantaneous_(alarm(spec.instantaneous, limits.instantaneous_a, spec.input_v)) {}

sim::Duration OverCurrent::interval() const {
  sim::Duration shortest = sim::milliseconds(100);
  for (const Alarm* alarm : {&average_, &instantaneous_}) {
    if (!alarm->there) continue;
    shortest = std::min(shortest, alarm->spec.release);
    if (alarm->spec.averaging > none) shortest = std::min(shortest, alarm->spec.averaging);
  }
  return std::max(shortest, sim::milliseconds(1));
}

void OverCurrent::Alarm::read(double watts, sim::Duration interval) {
  if (!there) return;
  left = std::max(left - interval, none);
  if (spec.averaging <= none) {
    if (watts > threshold_w) left = spec.release;
    return;
  }
  // One interval may contain the end of a block and the begin of the next, or several blocks.
  while (interval > none) {
    const sim::Duration part = std::min(interval, spec.averaging - block);
    block_j += watts * sim::to_seconds(part);
    block += part;
    interval -= part;
    if (block < spec.averaging) return;
    if (block_j > threshold_w * sim::to_seconds(spec.averaging))
      left = std::max(spec.release - interval, none);
    block_j = 0;
    block = none;
  }
}

Throttle OverCurrent::read(double watts, sim::Duration interval) {
  average_.read(watts, interval);
  instantaneous_.read(watts, interval);
  ratio_ = 1;
  for (const Alarm* alarm : {&average_, &instantaneous_}) {
    if (alarm->left > none) ratio_ = std::min(ratio_, alarm->spec.ratio);
  }
  return throttle();
}

}  // namespace jostle::power
