#include "models/power/governors/cpu_scaling.hpp"

#include <utility>

namespace jostle::power {

CpuScaling::CpuScaling(CpuGovernor governor, OppTable table, double hardware_max_hz,
                       const CpuSettings& settings)
    : governor_(governor),
      table_(std::move(table)),
      hardware_max_hz_(hardware_max_hz),
      settings_(settings),
      schedutil_(settings.schedutil, hardware_max_hz),
      conservative_(settings.conservative) {}

sim::Duration CpuScaling::interval() const {
  switch (governor_) {
    case CpuGovernor::schedutil:
      return settings_.schedutil.rate_limit;
    case CpuGovernor::ondemand:
      return settings_.ondemand.sampling_rate;
    case CpuGovernor::conservative:
      return settings_.conservative.sampling_rate;
    case CpuGovernor::performance:
    case CpuGovernor::powersave:
    case CpuGovernor::userspace:
      break;
  }
  return sim::Duration::zero();
}

double CpuScaling::start() const {
  switch (governor_) {
    case CpuGovernor::performance:
      return table_.highest();
    case CpuGovernor::userspace:
      return settings_.userspace_hz > 0 ? table_.at_most(settings_.userspace_hz) : table_.highest();
    case CpuGovernor::powersave:
    case CpuGovernor::schedutil:
    case CpuGovernor::ondemand:
    case CpuGovernor::conservative:
      break;
  }
  return table_.lowest();
}

double CpuScaling::poll(const CpuReading& reading) {
  switch (governor_) {
    case CpuGovernor::schedutil:
      return table_.at_least(schedutil_.next(reading.elapsed, reading.hz, reading.busy, reading.estimated));
    case CpuGovernor::ondemand:
      return ondemand(settings_.ondemand, table_, hardware_max_hz_, load_of(reading.busy));
    case CpuGovernor::conservative:
      return table_.at_most(conservative_.next(table_, reading.hz, load_of(reading.busy)));
    case CpuGovernor::performance:
    case CpuGovernor::powersave:
    case CpuGovernor::userspace:
      break;
  }
  return start();
}

void CpuScaling::set_limits(double min_hz, double max_hz) {
  table_.min_hz = min_hz;
  table_.max_hz = max_hz;
}

}  // namespace jostle::power
