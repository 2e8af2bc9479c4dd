#include "models/power/governors/gpu_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace jostle::power {

double simple_ondemand(const SimpleOndemandSettings& settings, const OppTable& table,
                       const GpuReading& reading) {
  if (reading.suspended) return reading.hz;
  if (reading.elapsed <= sim::Duration::zero() || reading.hz == 0) return table.highest();
  const double busy = static_cast<double>(reading.busy.ps()),
               total = static_cast<double>(reading.elapsed.ps());
  if (busy * 100 > total * settings.upthreshold) return table.highest();
  if (busy * 100 > total * (settings.upthreshold - settings.downdifferential)) return reading.hz;
  const int wanted = settings.upthreshold - settings.downdifferential / 2;
  return table.at_least(reading.hz * (busy / total) * 100 / wanted);
}

GpuScaling::GpuScaling(GpuGovernor governor, OppTable table, const GpuSettings& settings)
    : governor_(governor),
      table_(std::move(table)),
      settings_(settings),
      podgov_r35_(settings.podgov),
      podgov_r38_(settings.podgov),
      wmark_active_(settings.wmark_active) {}

sim::Duration GpuScaling::interval() const {
  switch (governor_) {
    case GpuGovernor::nvhost_podgov:
    case GpuGovernor::wmark_active:
    case GpuGovernor::simple_ondemand:
      return settings_.interval;
    case GpuGovernor::performance:
    case GpuGovernor::powersave:
    case GpuGovernor::userspace:
      break;
  }
  return sim::Duration::zero();
}

double GpuScaling::start() const {
  switch (governor_) {
    case GpuGovernor::performance:
      return table_.highest();
    case GpuGovernor::userspace:
      return settings_.userspace_hz > 0 ? table_.at_least(settings_.userspace_hz) : table_.highest();
    case GpuGovernor::nvhost_podgov:
    case GpuGovernor::wmark_active:
    case GpuGovernor::simple_ondemand:
    case GpuGovernor::powersave:
      break;
  }
  return table_.lowest();
}

double GpuScaling::next(const GpuReading& reading) {
  switch (governor_) {
    case GpuGovernor::nvhost_podgov:
      return settings_.podgov.build == Podgov::r38 ? podgov_r38_.next(table_, reading)
                                                   : podgov_r35_.next(table_, reading);
    case GpuGovernor::wmark_active:
      return wmark_active_.next(table_, reading);
    case GpuGovernor::simple_ondemand:
      return simple_ondemand(settings_.simple_ondemand, table_, reading);
    case GpuGovernor::performance:
    case GpuGovernor::powersave:
    case GpuGovernor::userspace:
      break;
  }
  return start();
}

double GpuScaling::poll(const GpuReading& reading) {
  const double wanted = next(reading);
  // While a controller holds the clock down, the request stays the same.
  const double as_it_is = reading.suspended ? reading.hz : std::max(reading.hz, wish_hz_);
  const double hz = table_.at_least(wanted > 0 ? wanted : as_it_is);
  wish_hz_ = hz;
  if (reading.suspended || (wanted > 0 && std::abs(hz - reading.hz) >= 1)) {
    podgov_r35_.changed(reading.now);
    wmark_active_.changed(reading.now);
  }
  return hz;
}

void GpuScaling::set_limits(double min_hz, double max_hz) {
  table_.min_hz = min_hz;
  table_.max_hz = max_hz;
}

}  // namespace jostle::power
