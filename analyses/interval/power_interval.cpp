#include "analyses/interval/power_interval.hpp"

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

}  // namespace jostle::analyses
