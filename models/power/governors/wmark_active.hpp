// wmark_active, NVIDIA's devfreq governor for engines with an activity monitor (offered for the GPU up to
// JetPack 5, the default of the video engines): hardware raises an interrupt when the load leaves the band
// between two watermarks, and the governor moves the clock towards where the load would be load_target.
//
// The watermarks are the loads, at this clock, at which the next lower and the next higher entry of the table
// would stand at load_target; the high one is at most load_max, from which the highest clock is wanted.
// Wishes are averaged, one an interrupt, and followed at most once in block_window. Assumed: that the
// monitor's average is the load since the last poll, and that the interrupt comes once a poll while the load
// is outside.
#pragma once

#include <cstdint>

#include "models/power/governors/opp.hpp"
#include "models/power/governors/podgov.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {

class WmarkActive {
 public:
  explicit WmarkActive(const WmarkActiveSettings& settings) : settings_(settings) {}

  // The clock to ask for, before table and limits; 0: stay.
  double next(const OppTable& table, const GpuReading& reading) {
    if (average_hz_ == 0 || reading.suspended) average_hz_ = reading.hz;
    if (reading.suspended) return 0;
    const std::int64_t load = load_of(reading);
    const bool at_lowest = reading.hz <= table.lowest(), at_highest = reading.hz >= table.highest();
    const auto watermark = [&](double hz) {
      return static_cast<std::int64_t>(hz / reading.hz * settings_.load_target);
    };
    const bool below = !at_lowest && load < watermark(table.step_down(reading.hz));
    const bool above = !at_highest && load >= std::min<std::int64_t>(settings_.load_max,
                                                                     watermark(table.step_up(reading.hz)));
    if (!below && !above) return 0;

    const double wish = settings_.freq_boost && load >= settings_.load_max
                            ? table.highest()
                            : table.at_least(reading.hz * static_cast<double>(load) / settings_.load_target);
    average_hz_ = (settings_.smooth * average_hz_ + wish) / (settings_.smooth + 1);
    return reading.now - changed_ < settings_.block_window ? 0 : average_hz_;
  }

  // The clock does change: none will for block_window.
  void changed(sim::Time now) { changed_ = now; }

 private:
  WmarkActiveSettings settings_;
  sim::Time changed_;
  double average_hz_ = 0;  // of what was wished
};

}  // namespace jostle::power
