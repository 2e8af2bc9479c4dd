// wmark_active, NVIDIA's devfreq governor for engines with an activity monitor (available for the GPU up to
// JetPack 5; the default of the video engines). Hardware raises an interrupt when the load leaves the band
// between two watermarks. The governor then moves the clock towards the value at which the load would be
// load_target.
//
// The watermarks are the loads at the current clock for which the load at the next lower or next higher entry
// of the table would be load_target; the upper watermark is at most load_max, from which on the highest clock
// is requested. Requests are averaged, one per interrupt, and applied at most once in block_window. Assumed:
// the monitor's average is the load since the last poll, and there is one interrupt per poll while the load
// is outside the band.
#pragma once

#include <cstdint>

#include "models/power/governors/gpu_reading.hpp"
#include "models/power/governors/opp.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {

class WmarkActive {
 public:
  explicit WmarkActive(const WmarkActiveSettings& settings) : settings_(settings) {}

  // The clock to request, before table and limits; 0: keep the clock.
  double operator()(const OppTable& table, const GpuReading& reading) {
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
    return reading.now - reading.changed < settings_.block_window ? 0 : average_hz_;
  }

 private:
  WmarkActiveSettings settings_;
  double average_hz_ = 0;  // average of the requests
};

}  // namespace jostle::power
