#include "models/power/governors/gpu_governors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "models/power/governors/opp.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {
namespace {

// nvhost_podgov, the governor of the GPU's clock on Jetson boards ("power on demand").
//
// Up to JetPack 6 (r35, r36) it changes the clock f by a boost, at most once in block_window. Above load_max
// the boost is a third of the highest clock; otherwise it is f bias/100 (busyness - load_target) /
// load_target, limited to the same maximum, where busyness is the recent demand in thousandths of f. The new
// clock is smoothed with its own moving average. The clock settles where the load is slightly below
// load_target. The arithmetic is the driver's: integers, in MHz where the driver uses MHz, because rounding
// decides at which entry the clock settles.
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

// Wraps a governor as devfreq does. `next` returns the clock that the governor wants, or 0 to keep the
// present one; the wrapper requests the nearest entry of the table at or above it, and remembers when the
// clock last changed.
template <class Next>
GpuGovernor::Rule devfreq(Next next) {
  return
      [next, requested_hz = 0.0, changed = sim::Time{}](const OppTable& table, GpuReading reading) mutable {
        reading.changed = changed;
        const double wanted = next(table, reading);
        // A controller may throttle the clock below the request; the request then stays the same.
        const double present = reading.suspended ? reading.hz : std::max(reading.hz, requested_hz);
        requested_hz = table.at_least(wanted > 0 ? wanted : present);
        if (reading.suspended || (wanted > 0 && std::abs(requested_hz - reading.hz) >= 1))
          changed = reading.now;
        return requested_hz;
      };
}

GpuGovernor::Rule nvhost_podgov(const GpuSettings& settings, double /*hardware_max_hz*/) {
  return settings.podgov.build == Podgov::r38 ? devfreq(PodgovR38(settings.podgov))
                                              : devfreq(PodgovR35(settings.podgov));
}

GpuGovernor::Rule wmark_active(const GpuSettings& settings, double /*hardware_max_hz*/) {
  return devfreq(WmarkActive(settings.wmark_active));
}

// Requests the highest clock if the load is above `upthreshold`, and keeps the clock if the load is less than
// `downdifferential` below it. Otherwise it requests the clock at which the load would be midway between
// these two bounds (devfreq_simple_ondemand_func).
GpuGovernor::Rule simple_ondemand(const GpuSettings& all, double /*hardware_max_hz*/) {
  return devfreq([settings = all.simple_ondemand](const OppTable& table, const GpuReading& reading) {
    if (reading.suspended) return reading.hz;
    if (reading.elapsed <= sim::Duration::zero() || reading.hz == 0) return table.highest();
    const double busy = static_cast<double>(reading.busy.ps()),
                 total = static_cast<double>(reading.elapsed.ps());
    if (busy * 100 > total * settings.upthreshold) return table.highest();
    if (busy * 100 > total * (settings.upthreshold - settings.downdifferential)) return reading.hz;
    const int wanted = settings.upthreshold - settings.downdifferential / 2;
    return table.at_least(reading.hz * (busy / total) * 100 / wanted);
  });
}

double highest(const OppTable& table, const GpuSettings& /*settings*/) {
  return table.highest();
}

double set_by_user(const OppTable& table, const GpuSettings& settings) {
  return settings.userspace_hz > 0 ? table.at_least(settings.userspace_hz) : table.highest();
}

constexpr std::array gpu_rows{
    GpuGovernor{.name = "nvhost_podgov", .rule = nvhost_podgov},
    GpuGovernor{.name = "wmark_active", .rule = wmark_active},
    GpuGovernor{.name = "performance", .start = highest},
    GpuGovernor{.name = "powersave"},
    GpuGovernor{.name = "simple_ondemand", .rule = simple_ondemand},
    GpuGovernor{.name = "userspace", .start = set_by_user},
};

}  // namespace

std::span<const GpuGovernor> gpu_governors() {
  return gpu_rows;
}

const GpuGovernor* gpu_governor(std::string_view name) {
  return named(gpu_governors(), name);
}

}  // namespace jostle::power
