#include "analyses/interval/power_interval.hpp"

#include <utility>

#include "analyses/interval/interval.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

namespace {

scenarios::Result once_with_interval(const scenarios::Scenario& scenario,
                                     const scenarios::RunControl& control) {
  scenarios::Scenario once = scenario;
  once.run.replications = 1;
  auto result = run_with_interval(once, control, Sought::ends);
  if (!result) throw scenarios::Interrupted();
  return *std::move(result);
}

}  // namespace

scenarios::Interval relative_power_interval(const scenarios::Scenario& scenario,
                                            const scenarios::RunControl& control) {
  return relative_power_interval(once_with_interval(scenario, control));
}

void add_power_interval(scenarios::Result& result, const scenarios::Scenario& scenario,
                        const scenarios::RunControl& control) {
  const scenarios::Result once = once_with_interval(scenario, control);
  scenarios::SystemResult& system = result.system;
  system.power_w.pi90 = interval_of_mean(relative_power_interval(once), system.power_w.mean);
  if (!system.tokens || !once.system.tokens) return;
  const scenarios::TotalTokens& like = *once.system.tokens;
  system.tokens->per_s_pi90 =
      interval_of_mean(relative_interval(like.per_s_pi90, like.per_s), system.tokens->per_s);
  system.tokens->energy_pi90 =
      interval_of_mean(relative_interval(like.energy_pi90, like.energy_mj), system.tokens->energy_mj);
}

}  // namespace jostle::analyses
