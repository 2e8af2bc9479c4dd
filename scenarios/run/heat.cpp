#include "scenarios/run/heat.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scenarios/run/simulation.hpp"

namespace jostle::scenarios {

bool Heat::moves(double tolerance) const {
  return std::fabs(settled_w - watts) > tolerance * watts;
}

std::optional<Heat> heat_of(const board::Dvfs& dvfs, const board::PowerReport& report,
                            const power::Spec& spec, sim::Time begin) {
  if (!dvfs.controllers().thermal() || report.seconds <= 0) return std::nullopt;
  const power::Thermal& thermal = *dvfs.controllers().thermal();
  const std::vector<double>& celsius = dvfs.account().heat_series().values();
  const std::size_t first = dvfs.account().heat_series().from(begin);
  const double sum =
      std::accumulate(celsius.begin() + static_cast<std::ptrdiff_t>(first), celsius.end(), 0.0);
  const double mean_c =
      first < celsius.size() ? sum / static_cast<double>(celsius.size() - first) : thermal.celsius();
  const double watts = power::sum_of(report.joules) / report.seconds;

  power::LoadPower load{.leakage_w = report.leakage_j / report.seconds,
                        .reference_c = spec.reference_c,
                        .growth_k = spec.leakage_growth_k};
  load.constant_w = watts - load.watts(mean_c);
  const double held_s = report.held_s[static_cast<std::size_t>(power::Cause::thermal)];
  const power::Throttle now = thermal.throttle();
  const bool lowest = sim::to_seconds(thermal.at_lowest_for()) >= report.seconds;
  const bool held = !lowest && (held_s > 0 || now.cpu_steps > 0 || now.gpu_steps > 0);
  const double trip_c =
      lowest ? thermal.critical_c().value_or(std::numeric_limits<double>::infinity()) : thermal.passive_c();
  Heat heat{.watts = watts,
            .celsius = mean_c,
            .thermal = thermal,
            .held = held,
            .lowest = lowest,
            .ahead = power::forecast(thermal, load, trip_c)};
  heat.settled_w = held ? thermal.watts_at(mean_c) : heat.ahead.watts;
  return heat;
}

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
  pilot.run.warmup_given = true;
  pilot.run.until_p99 = false;
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
