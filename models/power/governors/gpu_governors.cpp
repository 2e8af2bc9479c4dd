#include "models/power/governors/gpu_governors.hpp"

#include <array>

#include "models/power/governors/podgov.hpp"
#include "models/power/governors/wmark_active.hpp"

namespace jostle::power {

namespace {

// The rule of a governor that keeps a state.
template <class Governor, class Settings>
GpuGovernor::Rule by(const Settings& settings) {
  return [governor = Governor(settings)](const OppTable& table, const GpuReading& reading) mutable {
    return governor.next(table, reading);
  };
}

GpuGovernor::Rule nvhost_podgov(const GpuSettings& settings) {
  return settings.podgov.build == Podgov::r38 ? by<PodgovR38>(settings.podgov)
                                              : by<PodgovR35>(settings.podgov);
}

GpuGovernor::Rule wmark_active(const GpuSettings& settings) {
  return by<WmarkActive>(settings.wmark_active);
}

// The highest clock if the load is above upthreshold; the same clock if it is at most downdifferential below
// that; otherwise the clock at which the load would be in the middle between the two
// (devfreq_simple_ondemand_func).
GpuGovernor::Rule simple_ondemand(const GpuSettings& all) {
  return [settings = all.simple_ondemand](const OppTable& table, const GpuReading& reading) {
    if (reading.suspended) return reading.hz;
    if (reading.elapsed <= sim::Duration::zero() || reading.hz == 0) return table.highest();
    const double busy = static_cast<double>(reading.busy.ps()),
                 total = static_cast<double>(reading.elapsed.ps());
    if (busy * 100 > total * settings.upthreshold) return table.highest();
    if (busy * 100 > total * (settings.upthreshold - settings.downdifferential)) return reading.hz;
    const int wanted = settings.upthreshold - settings.downdifferential / 2;
    return table.at_least(reading.hz * (busy / total) * 100 / wanted);
  };
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
  const auto row = std::ranges::find(gpu_rows, name, &GpuGovernor::name);
  return row == gpu_rows.end() ? nullptr : &*row;
}

}  // namespace jostle::power
