// schedutil: the clock at which the busiest core would be four fifths busy.
//
// next = 1.25 fmax util, util being the core's PELT utilisation as a share of its capacity at fmax, and of a
// cluster the greatest of its cores (sugov_next_freq_shared). The kernel looks when the scheduler does, at
// most once in rate_limit; here it looks once in rate_limit, and within a poll a core is taken as evenly
// busy. Left out: util_est, the boost after waiting for I/O, and threads of deadline and real-time classes.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "models/power/governors/spec.hpp"
#include "sim/math.hpp"

namespace jostle::power {

class Schedutil {
 public:
  // `hardware_max_hz`: the highest clock of the hardware, which capacities refer to, not of a power mode.
  Schedutil(const SchedutilSettings& settings, double hardware_max_hz)
      : settings_(settings), hardware_max_hz_(hardware_max_hz) {}

  // The clock it wants, before limits and table. `busy`: share of each core since the last poll, at `hz`.
  double next(sim::Duration elapsed, double hz, std::span<const double> busy) {
    utilisation_.resize(busy.size());
    const double speed = hardware_max_hz_ > 0 ? std::min(1.0, hz / hardware_max_hz_) : 1;
    const double slow = keep(elapsed, speed), fast = keep(elapsed, 1);
    double most = 0;
    for (std::size_t i = 0; i < busy.size(); ++i) {
      double& value = utilisation_[i];
      // A core that idles brings its PELT clock up to date; only one that never does lives in scaled time.
      if (settings_.scaled_time && busy[i] >= always)
        value = value * slow + (1 - slow);
      else
        value = value * fast + std::min(1.0, busy[i]) * speed * (1 - fast);
      most = std::max(most, value);
    }
    return settings_.margin * hardware_max_hz_ * most;
  }

  [[nodiscard]] const std::vector<double>& utilisation() const { return utilisation_; }

 private:
  static constexpr double always = 1 - 1e-9;

  [[nodiscard]] double keep(sim::Duration elapsed, double speed) const {
    constexpr double ln2 = 0.693147180559945309;
    return sim::exp(-ln2 * speed * sim::to_seconds(elapsed) / sim::to_seconds(settings_.half_life));
  }

  SchedutilSettings settings_;
  double hardware_max_hz_;
  std::vector<double> utilisation_;  // a core, 0 ... 1
};

}  // namespace jostle::power
