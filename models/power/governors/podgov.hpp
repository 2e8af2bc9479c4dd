// nvhost_podgov, the governor of the GPU's clock on Jetson boards ("power on demand").
//
// Up to JetPack 6 (r35, r36) it changes the clock f by a boost, at most once in block_window. Above load_max
// the boost is a third of the highest clock; otherwise it is f bias/100 (busyness - load_target) /
// load_target, limited to the same maximum, where busyness is the recent demand in thousandths of f. The new
// clock is smoothed with its own moving average. The clock settles where the load is slightly below
// load_target. The arithmetic is the driver's: integers, in MHz where the driver uses MHz, because rounding
// decides at which entry the clock settles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/power/governors/gpu_reading.hpp"
#include "models/power/governors/opp.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {

class PodgovR35 {  // r36 uses it too
 public:
  explicit PodgovR35(const PodgovSettings& settings) : settings_(settings) {}
  // The clock to request, before table and limits; 0: keep the clock.
  double operator()(const OppTable& table, const GpuReading& reading);

 private:
  [[nodiscard]] std::int64_t recent_demand();  // Hz

  PodgovSettings settings_;
  std::int64_t demand_average_ = 0;   // clock in Hz that the recent load would keep busy all the time
  std::int64_t request_average_ = 0;  // MHz
  // The demands of the last polls; r35 only.
  std::array<std::int64_t, 100> history_{};
  std::size_t next_ = 0, count_ = 0;
};

// The governor of JetPack 7: up_freq_margin entries up when the average load is above load_target,
// down_freq_margin entries down when it is load_margin below, the highest clock when the load reaches
// load_max.
class PodgovR38 {
 public:
  explicit PodgovR38(const PodgovSettings& settings) : settings_(settings) {}
  double operator()(const OppTable& table, const GpuReading& reading);

 private:
  PodgovSettings settings_;
  std::int64_t average_ = 0;
};

}  // namespace jostle::power
