#include "scenarios/run/heat.hpp"

#include <cmath>
#include <limits>
#include <numeric>

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

}  // namespace jostle::scenarios
