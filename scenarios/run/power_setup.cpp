#include "scenarios/run/power_setup.hpp"

#include <algorithm>

#include "scenarios/language/scenario.hpp"

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

}  // namespace jostle::scenarios
