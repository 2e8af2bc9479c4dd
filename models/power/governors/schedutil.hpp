// schedutil: the clock at which the busiest core would be busy for four fifths of the time.
//
// next = 1.25 fmax util. util is the core's PELT utilisation as a share of its capacity at fmax; for a
// cluster, the maximum over its cores (sugov_next_freq_shared). Since 4.17 a core's util is at least the sum
// of the estimated demands of its runnable threads (util_est). The kernel evaluates this when the scheduler
// runs, at most once in rate_limit. This model evaluates it once in that interval, assumes that a core's load
// is uniform between polls, and takes the highest estimate since the last. Not modelled: the boost after
// waiting for I/O, and threads of the deadline and real-time classes.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "models/power/governors/spec.hpp"
#include "sim/math.hpp"

namespace jostle::power {

class Schedutil {
 public:
  // `hardware_max_hz`: maximum clock of the hardware, which capacities refer to, not the limit of a power
  // mode.
  Schedutil(const SchedutilSettings& settings, double hardware_max_hz)
      : settings_(settings), hardware_max_hz_(hardware_max_hz) {}

  // The requested clock, before limits and table. `busy`: busy share of each core since the last poll, at
  // clock `hz`. `estimated`: the estimate of each core's threads as a share of its capacity; empty: none.
  double next(sim::Duration elapsed, double hz, std::span<const double> busy,
              std::span<const double> estimated = {}) {
    utilisation_.resize(busy.size());
    const double speed = hardware_max_hz_ > 0 ? std::min(1.0, hz / hardware_max_hz_) : 1;
    const double slow = slow_.after(elapsed, speed, settings_.half_life);
    const double fast = fast_.after(elapsed, 1, settings_.half_life);
    double most = 0;
    for (std::size_t i = 0; i < busy.size(); ++i) {
      double& value = utilisation_[i];
      // Idling brings a core's PELT clock up to date; only a core that never idles stays in scaled time.
      if (settings_.scaled_time && busy[i] >= always)
        value = value * slow + (1 - slow);
      else
        value = value * fast + std::min(1.0, busy[i]) * speed * (1 - fast);
      most = std::max(most, value);
    }
    for (const double estimate : estimated) most = std::max(most, std::min(estimate, 1.0));
    return settings_.margin * hardware_max_hz_ * most;
  }

  [[nodiscard]] const std::vector<double>& utilisation() const { return utilisation_; }

 private:
  static constexpr double always = 1 - 1e-9;

  // The share of a utilisation that is left after some time at a speed. The last result is kept, because all
  // polls have the same interval.
  class Left {
   public:
    [[nodiscard]] double after(sim::Duration elapsed, double speed, sim::Duration half_life) {
      constexpr double ln2 = 0.693147180559945309;
      const double exponent = -ln2 * speed * sim::to_seconds(elapsed) / sim::to_seconds(half_life);
      if (exponent != exponent_) {
        exponent_ = exponent;
        left_ = sim::exp(exponent);
      }
      return left_;
    }

   private:
    double exponent_ = 0, left_ = 1;
  };

  SchedutilSettings settings_;
  double hardware_max_hz_;
  Left slow_, fast_;
  std::vector<double> utilisation_;  // by core, 0 ... 1
};

}  // namespace jostle::power
