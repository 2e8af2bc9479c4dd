#include "models/power/governors/gpu_governors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/power/governors/podgov.hpp"
#include "models/power/governors/wmark_active.hpp"

namespace jostle::power {

namespace {

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
