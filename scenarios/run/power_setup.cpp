#include "scenarios/run/power_setup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "input/units.hpp"
#include "models/cpu/spec.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"

namespace jostle::scenarios {

std::optional<board::DvfsSetup> dvfs_of(const Scenario& scenario, const board::DeviceSpec& device,
                                        const board::PowerMode* mode, const board::Clocks& limits) {
  if (!device.power) return std::nullopt;
  board::DvfsSetup setup;
  setup.limits = limits;
  setup.scaling = device.power->scaling;
  const bool pinned = scenario.jetson_clocks.value_or(false);
  setup.cpu_pinned = pinned || (scenario.clocks.cpu_hz && !scenario.governors.cpu);
  setup.gpu_pinned = pinned || (scenario.clocks.gpu_hz && !scenario.governors.gpu);
  setup.emc_pinned = pinned || scenario.clocks.emc_hz.has_value();
  if (const auto* named = power::cpu_governor(scenario.governors.cpu.value_or(""))) setup.scaling.cpu = named;
  if (const auto* named = power::gpu_governor(scenario.governors.gpu.value_or(""))) setup.scaling.gpu = named;
  setup.limit = device.power->limit;
  if (setup.limit) setup.limit->budget_w = scenario.power_limit_w.value_or(setup.limit->budget_w);
  if (scenario.power_cap)
    setup.cap = {.budget_w = scenario.power_cap->budget_w, .window = scenario.power_cap->window};
  if (mode != nullptr) {
    setup.over_current = mode->over_current;
    if (!mode->cpu_min_clock_hz.empty())
      setup.scaling.cpu_floor_hz = std::ranges::max(mode->cpu_min_clock_hz);
    setup.scaling.gpu_floor_hz = mode->gpu_min_clock_hz.value_or(setup.scaling.gpu_floor_hz);
  }
  setup.ambient_c = scenario.ambient_c.value_or(setup.ambient_c);
  setup.fan = scenario.fan.value_or(setup.fan);
  return setup;
}

namespace {

std::string watts(double value) {
  return input::format_quantity(value, input::power_dimension());
}

struct Budget {
  const char* name = "";
  double watts = 0;
  double unmet_share = 0;  // share of the time for which the lowest clocks may exceed it untold
};

// The lower of the budgets of the power cap and of the card's limit.
std::optional<Budget> budget_of(const Assembly& assembly) {
  if (!assembly.dvfs) return std::nullopt;
  std::optional<Budget> budget;
  if (const auto& cap = assembly.dvfs->cap) budget = {"power cap", cap->budget_w};
  if (const auto& limit = assembly.dvfs->limit; limit && (!budget || limit->budget_w < budget->watts))
    budget = {"power limit", limit->budget_w, 0.5};
  return budget;
}

// The lowest clock of a domain.
double lowest(const std::vector<double>& table, double hz) {
  return table.empty() ? hz : std::min(table.front(), hz);
}

}  // namespace

power::Activity idle_second(const Assembly& assembly) {
  const board::DeviceSpec& device = assembly.device;
  power::Activity idle{.seconds = 1,
                       .clusters = {},
                       .sms = device.gpu.sm_count,
                       .gpu_hz = assembly.setup.clocks.gpu_hz,
                       .emc_hz = assembly.setup.clocks.emc_hz,
                       .dla_hz = assembly.setup.clocks.dla_hz,
                       .dlas = device.dla.count};
  int first = 0;
  for (std::size_t i = 0; i < device.cpu->clusters.size(); ++i) {
    const int behind = first + device.cpu->clusters[i].cores;
    const auto online = std::ranges::count_if(assembly.setup.cores.online,
                                              [&](int cpu) { return cpu >= first && cpu < behind; });
    idle.clusters.push_back(
        {.hz = assembly.setup.clocks.clusters_hz[i], .online = static_cast<int>(online), .busy_core_s = 0});
    first = behind;
  }
  return idle;
}

std::string unreachable_budget(const Assembly& assembly) {
  const auto budget = budget_of(assembly);
  if (!budget) return {};
  const board::DeviceSpec& device = assembly.device;
  power::Activity least = idle_second(assembly);
  for (std::size_t i = 0; i < least.clusters.size(); ++i)
    least.clusters[i].hz = lowest(device.cpu->clusters[i].clock_table_hz, least.clusters[i].hz);
  least.gpu_hz = lowest(device.gpu.clock_table_hz, least.gpu_hz);
  if (!assembly.dvfs->emc_pinned) least.emc_hz = lowest(device.memory.clock_table_hz, least.emc_hz);
  if (!assembly.dvfs->gpu_pinned && device.power->gpu.gated_after_s > 0) least.gpu_gated_s = least.seconds;
  const double idle_w =
      power::sum_of(power::energy_of(*device.power, least, assembly.dvfs->ambient_c)) / least.seconds;
  if (idle_w <= budget->watts) return {};
  return fmt::format(
      "the {} of {} cannot be met: with nothing to do, at its lowest clocks, {} draws {:.3g} W", budget->name,
      watts(budget->watts), device.name, idle_w);
}

std::string unmet_budget(const Assembly& assembly, const board::PowerReport& report) {
  const auto budget = budget_of(assembly);
  if (!budget || report.unmet_budget_s <= budget->unmet_share * report.seconds) return {};
  constexpr double worth_telling = 1.01;  // less may have no digit that differs
  const double mean_w = power::sum_of(report.joules) / report.seconds;
  if (mean_w <= worth_telling * budget->watts) return {};
  return fmt::format("the {} of {} is not met: {:.4g} W with clocks as low as they go", budget->name,
                     watts(budget->watts), mean_w);
}

}  // namespace jostle::scenarios
