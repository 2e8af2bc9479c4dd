#include "models/power/governors/cpu_governors.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "models/power/governors/opp.hpp"
#include "models/power/governors/schedutil.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::power {
namespace {

// Ondemand and conservative: governors that use only the load, which is the busy share of the busiest core
// since the last sample, in whole percent.
int load_of(std::span<const double> busy) {
  double most = 0;
  for (const double share : busy) most = std::max(most, share);
  return static_cast<int>(std::min(1.0, most) * 100 + 1e-9);
}

// Ondemand: above the threshold, the highest clock. Below it, in proportion to the load between the
// hardware's lowest and highest clock, independent of the limits (od_update: cpuinfo.min_freq,
// cpuinfo.max_freq, CPUFREQ_RELATION_C).
double ondemand(const OndemandSettings& settings, const OppTable& table, double hardware_max_hz, int load) {
  if (load > settings.up_threshold) return table.highest();
  const double lowest = table.hz.empty() ? table.min_hz : table.hz.front();
  return table.nearest(lowest + load * (hardware_max_hz - lowest) / 100);
}

// Changes the clock in steps of a share of the upper limit: up above one threshold, down below another; in
// between the clock stays. The requested clock moves between the entries of the table, so small steps add up
// (cs_dbs_update).
class Conservative {
 public:
  explicit Conservative(const ConservativeSettings& settings) : settings_(settings) {}

  double next(const OppTable& table, double hz, int load) {
    const double lowest = table.lowest(), highest = table.highest();
    if (requested_hz_ < lowest || requested_hz_ > highest) requested_hz_ = std::clamp(hz, lowest, highest);
    const double step = highest * settings_.freq_step / 100;
    if (load > settings_.up_threshold) {
      requested_hz_ = std::min(requested_hz_ + step, highest);
      return table.at_most(requested_hz_);
    }
    if (load < settings_.down_threshold) {
      requested_hz_ = std::max(requested_hz_ - step, lowest);
      return table.at_least(requested_hz_);
    }
    return hz;
  }

 private:
  ConservativeSettings settings_;
  double requested_hz_ = 0;
};

CpuGovernor::Rule schedutil(const CpuSettings& settings, double hardware_max_hz) {
  return [governor = Schedutil(settings.schedutil, hardware_max_hz)](const OppTable& table,
                                                                     const CpuReading& reading) mutable {
    return table.at_least(governor.next(reading.elapsed, reading.hz, reading.busy, reading.estimated));
  };
}

CpuGovernor::Rule ondemand_rule(const CpuSettings& settings, double hardware_max_hz) {
  return [settings = settings.ondemand, hardware_max_hz](const OppTable& table, const CpuReading& reading) {
    return ondemand(settings, table, hardware_max_hz, load_of(reading.busy));
  };
}

CpuGovernor::Rule conservative(const CpuSettings& settings, double /*hardware_max_hz*/) {
  return [governor = Conservative(settings.conservative)](const OppTable& table,
                                                          const CpuReading& reading) mutable {
    return table.at_most(governor.next(table, reading.hz, load_of(reading.busy)));
  };
}

double highest(const OppTable& table, const CpuSettings& /*settings*/) {
  return table.highest();
}

double set_by_user(const OppTable& table, const CpuSettings& settings) {
  return settings.userspace_hz > 0 ? table.at_most(settings.userspace_hz) : table.highest();
}

constexpr std::array cpu_rows{
    CpuGovernor{.name = "schedutil", .rule = schedutil, .reads_estimates = true},
    CpuGovernor{.name = "performance", .start = highest},
    CpuGovernor{.name = "powersave"},
    CpuGovernor{.name = "ondemand", .rule = ondemand_rule},
    CpuGovernor{.name = "conservative", .rule = conservative},
    CpuGovernor{.name = "userspace", .start = set_by_user},
};

}  // namespace

std::span<const CpuGovernor> cpu_governors() {
  return cpu_rows;
}

const CpuGovernor* cpu_governor(std::string_view name) {
  return named(cpu_governors(), name);
}

}  // namespace jostle::power
