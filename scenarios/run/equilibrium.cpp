#include "scenarios/run/equilibrium.hpp"

#include <algorithm>
#include <cmath>

#include "scenarios/run/heat.hpp"
#include "scenarios/run/simulation.hpp"

namespace jostle::scenarios {

namespace {

constexpr double settled_k = 0.1;       // temperature change of one run that ends the search
constexpr double settled_share = 0.01;  // the same for the power, at the trip point
constexpr int most_runs = 20;
const sim::Duration warmup = sim::milliseconds(500), short_run = sim::seconds(2), held_run = sim::seconds(20);

bool replays(const Scenario& scenario, const RunControl& control) {
  return control.requests != nullptr ||
         std::ranges::any_of(scenario.processes, [](const ProcessEntry& entry) {
           return entry.arrivals.kind == process::ArrivalKind::trace;
         });
}

}  // namespace

Equilibrium thermal_equilibrium(const Scenario& scenario, const Assembly& assembly,
                                const RunControl& control) {
  if (!assembly.dvfs || !assembly.device.power->thermal) return {};
  Scenario pilot = scenario;
  pilot.gpu_metrics.reset();
  pilot.run.until.reset();
  // A replayed load varies over time, so all of it counts.
  const bool whole = replays(scenario, control);
  if (!whole) pilot.run.warmup = warmup;
  Assembly warm = assembly;
  RunControl alone;
  alone.interrupt = control.interrupt;
  alone.requests = control.requests;
  bool held = false;
  double last_w = 0;
  for (int i = 0; i < most_runs; ++i) {
    if (!whole) pilot.run.duration = held ? held_run : short_run;
    Simulation simulation(pilot, warm, alone);
    if (!simulation.run()) throw Interrupted();
    const std::optional<Heat> heat = simulation.heat();
    if (!heat) return {};
    if (heat->thermal.down()) return {.heat = {}, .settled = true, .shuts_down = true};
    const double began_c = warm.dvfs->heat ? warm.dvfs->heat->celsius() : scenario.ambient_c.value_or(25);
    if (heat->lowest && heat->ahead.trips) return {.heat = {}, .settled = true, .shuts_down = true};
    if ((held || heat->held) && !heat->lowest) {
      const bool steady = held && !heat->moves(settled_share) &&
                          std::fabs(heat->watts - last_w) <= settled_share * heat->watts;
      held = true;
      last_w = heat->watts;
      warm.dvfs->heat = heat->thermal;
      if (steady) return {.heat = warm.dvfs->heat};
    } else {
      held = heat->ahead.trips || heat->lowest;
      warm.dvfs->heat = heat->ahead.thermal;
      if (!heat->ahead.trips && std::fabs(heat->ahead.celsius - began_c) < settled_k)
        return {.heat = warm.dvfs->heat};
    }
  }
  return {.heat = warm.dvfs->heat, .settled = false};
}

}  // namespace jostle::scenarios
