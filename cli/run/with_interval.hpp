// The result that a page shows.
#pragma once

#include "scenarios/run/run.hpp"

namespace jostle::cli {

// With its 90 % prediction intervals, unless it has them or they would take long. `cpu_seconds`: the expected
// time of one run. One function for the pages of `run` and `explain`, so that both print the same ranges.
// Throws RunError, Interrupted.
[[nodiscard]] scenarios::Result with_interval(const scenarios::Result& result,
                                              const scenarios::Scenario& scenario, double cpu_seconds,
                                              const scenarios::RunControl& control);

}  // namespace jostle::cli
