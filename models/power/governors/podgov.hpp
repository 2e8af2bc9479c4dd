// nvhost_podgov, the governor of the GPU's clock on Jetson boards: power on demand.
//
// Up to JetPack 6 (r35, r36) it moves the clock f by a boost, at most once in block_window. Above load_max
// the boost is a third of the highest clock; otherwise f bias/100 (busyness - load_target) / load_target, at
// most the same, busyness being the recent demand in thousandths of f. The sum is damped with its own
// average. The clock settles where the load is a bit below load_target. The arithmetic is the driver's, whole
// numbers, in MHz where it has MHz, because its rounding decides at which entry the clock settles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/power/governors/opp.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {

// What the GPU did since the last poll.
struct GpuReading {
  sim::Time now;  // since the start
  sim::Duration elapsed, busy;
  double hz = 0;           // its clock
  bool suspended = false;  // has no power
};

// Busy thousandths since the last poll.
[[nodiscard]] std::int64_t load_of(const GpuReading& reading);

class PodgovR35 {  // and r36
 public:
  explicit PodgovR35(const PodgovSettings& settings) : settings_(settings) {}
  // The clock to ask for, before table and limits; 0: stay.
  double next(const OppTable& table, const GpuReading& reading);
  // The clock does change: none will for block_window.
  void changed(sim::Time now) { changed_ = now; }

 private:
  [[nodiscard]] std::int64_t recent_demand();  // Hz

  PodgovSettings settings_;
  sim::Time changed_;
  std::int64_t demand_average_ = 0;   // Hz that would have been busy all the time
  std::int64_t request_average_ = 0;  // MHz
  // The demands of the last polls, r35 only.
  std::array<std::int64_t, 100> history_{};
  std::size_t next_ = 0, count_ = 0;
};

// JetPack 7's: up_freq_margin entries up when the average load is above load_target, down_freq_margin down
// when it is load_margin below, the highest clock when the load reaches load_max.
class PodgovR38 {
 public:
  explicit PodgovR38(const PodgovSettings& settings) : settings_(settings) {}
  double next(const OppTable& table, const GpuReading& reading);

 private:
  PodgovSettings settings_;
  std::int64_t average_ = 0;
};

}  // namespace jostle::power
