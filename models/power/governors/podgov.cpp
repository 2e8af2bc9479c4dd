#include "models/power/governors/podgov.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::power {

double PodgovR35::operator()(const OppTable& table, const GpuReading& reading) {
  if (reading.suspended) {
    request_average_ = 0;
    history_.fill(0);
    next_ = count_ = 0;
    return table.lowest();
  }
  const std::int64_t total = whole_us(reading.elapsed);
  const std::int64_t hz = std::llround(reading.hz);
  if (total == 0 || hz == 0) return 0;

  const std::int64_t demand = hz * whole_us(reading.busy) / total;
  demand_average_ = (demand_average_ * settings_.smooth + demand) / (settings_.smooth + 1);
  history_[next_] = demand;
  next_ = (next_ + 1) % history_.size();
  count_ = std::min(count_ + 1, history_.size());
  if (reading.now - reading.changed < settings_.block_window) return 0;

  const std::int64_t mhz = hz / 1'000'000;
  const std::int64_t max_boost = static_cast<std::int64_t>(table.highest()) / 3 / 1'000'000;
  const std::int64_t busyness =
      1000 * (settings_.build == Podgov::r35 ? recent_demand() : demand_average_) / hz;
  std::int64_t boost = max_boost, damp = 10;
  if (load_of(reading) <= settings_.load_max) {
    boost = std::min(max_boost, (busyness - settings_.load_target) * (settings_.bias * mhz) /
                                    (std::int64_t{100} * settings_.load_target));
    damp = settings_.damp;
  }
  const std::int64_t request = mhz + boost;
  request_average_ = (request_average_ * settings_.smooth + request) / (settings_.smooth + 1);
  const std::int64_t wanted = (damp * request + (10 - damp) * request_average_) / 10;
  // 0 would mean that the clock stays.
  return std::max(1.0, static_cast<double>(wanted) * 1e6);
}

std::int64_t PodgovR35::recent_demand() {
  return *std::max_element(history_.begin(), history_.begin() + static_cast<std::ptrdiff_t>(count_));
}

double PodgovR38::operator()(const OppTable& table, const GpuReading& reading) {
  if (reading.suspended) {
    average_ = 0;
    return 0;
  }
  const std::int64_t load = load_of(reading);
  const std::int64_t weight = std::int64_t{1} << settings_.k;
  average_ = (average_ * (weight - 1) + load) / weight;
  if (load >= settings_.load_max) return table.highest();
  if (average_ > settings_.load_target) return table.step_up(reading.hz, settings_.up_freq_margin);
  if (average_ < settings_.load_target - settings_.load_margin)
    return table.step_down(reading.hz, settings_.down_freq_margin);
  return 0;
}

}  // namespace jostle::power
