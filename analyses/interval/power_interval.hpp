// Prediction intervals of power where single runs are not asked for theirs: of both sides of a comparison, of
// an explanation and its changes, of the options of an offload study.
#pragma once

#include "scenarios/result/result.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {

// Intervals of power and of tokens relative to their means, so that they hold around other means of the same
// board.

// The interval around another mean of the same board; none if either is.
[[nodiscard]] scenarios::Interval interval_of_mean(const scenarios::Interval& relative,
                                                   const scenarios::Metric& mean);

// The interval relative to its mean; none if either is.
[[nodiscard]] scenarios::Interval relative_interval(const scenarios::Interval& pi90,
                                                    const scenarios::Metric& mean);

// The grade of a result's power.
[[nodiscard]] scenarios::Interval relative_power_interval(const scenarios::Result& result);

// The interval of a scenario's mean power, relative to the predicted mean: [0.92, 1.1]. None if no power is
// known. Costs about 80 runs, on all cores (run_with_interval()). Throws RunError, Interrupted.
[[nodiscard]] scenarios::Interval relative_power_interval(const scenarios::Scenario& scenario,
                                                          const scenarios::RunControl& control);

// Adds the interval to the result of a run of the scenario, and those of its tokens.
void add_power_interval(scenarios::Result& result, const scenarios::Scenario& scenario,
                        const scenarios::RunControl& control);

}  // namespace jostle::analyses
