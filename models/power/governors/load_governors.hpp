// Ondemand and conservative: governors that use only the load, which is the busy share of the busiest core
// since the last sample, in whole percent.
#pragma once

#include <algorithm>
#include <span>

#include "models/power/governors/opp.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {

[[nodiscard]] inline int load_of(std::span<const double> busy) {
  double most = 0;
  for (const double share : busy) most = std::max(most, share);
  return static_cast<int>(std::min(1.0, most) * 100 + 1e-9);
}

// Ondemand: above the threshold, the highest clock. Below it, in proportion to the load between the
// hardware's lowest and highest clock, independent of the limits (od_update: cpuinfo.min_freq,
// cpuinfo.max_freq, CPUFREQ_RELATION_C).
[[nodiscard]] inline double ondemand(const OndemandSettings& settings, const OppTable& table,
                                     double hardware_max_hz, int load) {
  if (load > settings.up_threshold) return table.highest();
  const double lowest = table.hz.empty() ? table.min_hz : table.hz.front();
  return table.nearest(lowest + load * (hardware_max_hz - lowest) / 100);
}

// Changes the clock in steps of a share of the upper limit: up above one threshold, down below another; in
// between the clock stays. The requested clock moves between the entries of the table, so small steps add up
// (cs_dbs_update).
class Conservative {
 public:
  explicit Conservative(const ConservativeSettings& settings) : settings_(settings) {}

  double next(const OppTable& table, double hz, int load) {
    const double lowest = table.lowest(), highest = table.highest();
    if (requested_hz_ < lowest || requested_hz_ > highest) requested_hz_ = std::clamp(hz, lowest, highest);
    const double step = highest * settings_.freq_step / 100;
    if (load > settings_.up_threshold) {
      requested_hz_ = std::min(requested_hz_ + step, highest);
      return table.at_most(requested_hz_);
    }
    if (load < settings_.down_threshold) {
      requested_hz_ = std::max(requested_hz_ - step, lowest);
      return table.at_least(requested_hz_);
    }
    return hz;
  }

 private:
  ConservativeSettings settings_;
  double requested_hz_ = 0;
};

}  // namespace jostle::power
