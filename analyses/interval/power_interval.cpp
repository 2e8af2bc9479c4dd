#include "analyses/interval/power_interval.hpp"

#include <tuple>
#include <utility>

#include "analyses/interval/interval.hpp"

namespace jostle::analyses {

scenarios::Interval relative_power_interval(const scenarios::Scenario& scenario,
                                            const scenarios::RunControl& control) {
  scenarios::Scenario once = scenario;
  once.run.replications = 1;
  const auto result = run_with_interval(once, control);
  if (!result) throw scenarios::Interrupted();
  return relative_power_interval(*result);
}

void add_power_interval(scenarios::Result& result, const scenarios::Scenario& scenario,
                        const scenarios::RunControl& control) {
  result.system.power_w.pi90 =
      power_interval(relative_power_interval(scenario, control), result.system.power_w.mean);
}

scenarios::Interval power_interval(const scenarios::Interval& relative, const scenarios::Metric& mean_w) {
  if (!relative || !mean_w) return std::nullopt;
  return std::pair(relative->first * *mean_w, relative->second * *mean_w);
}

scenarios::Interval relative_power_interval(const scenarios::Result& result) {
  const auto& [mean_w, pi90] = std::tie(result.system.power_w.mean, result.system.power_w.pi90);
  if (!pi90 || !mean_w || !(*mean_w > 0)) return std::nullopt;
  return std::pair(pi90->first / *mean_w, pi90->second / *mean_w);
}

}  // namespace jostle::analyses
