#include "models/power/governors/cpu_governors.hpp"

#include <array>

#include "models/power/governors/load_governors.hpp"
#include "models/power/governors/schedutil.hpp"

namespace jostle::power {

namespace {

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
