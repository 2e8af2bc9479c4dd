// Prediction intervals of power where single runs are not asked for theirs: of both sides of a comparison, of
// an explanation and its changes, of the options of an offload study.
#pragma once

#include "analyses/interval/relative_power.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {

// The interval of a scenario's mean power, relative to the predicted mean: [0.92, 1.1]. None if no power is
// known. Costs 24 to 80 runs, on all cores (run_with_interval()). Throws RunError, Interrupted.
[[nodiscard]] scenarios::Interval relative_power_interval(const scenarios::Scenario& scenario,
                                                          const scenarios::RunControl& control);

// Adds the interval to the result of a run of the scenario, and those of its tokens.
void add_power_interval(scenarios::Result& result, const scenarios::Scenario& scenario,
                        const scenarios::RunControl& control);

}  // namespace jostle::analyses
