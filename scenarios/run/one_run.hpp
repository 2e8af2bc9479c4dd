// One run of an assembled scenario, with its result.
#pragma once

#include <optional>

#include "scenarios/run/assemble.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::scenarios {

// The run of the assembly's seed; `run.replications` of the scenario does not count here. None if it was
// interrupted. Throws RunError.
[[nodiscard]] std::optional<Result> one_run(const Scenario& scenario, const calibration::Profile& profile,
                                            Assembly assembly, const RunControl& control);

// The result before a run: what was requested, and which processes fit.
[[nodiscard]] Result prepared(const Scenario& scenario, const calibration::Profile& profile,
                              const Assembly& assembly);

// Gives the assembled board the heat with which the scenario begins (run.thermal). False if its load would
// shut it down: then the result says so, and there is nothing to simulate.
[[nodiscard]] bool settle(Result& result, const Scenario& scenario, Assembly& assembly,
                          const RunControl& control);

}  // namespace jostle::scenarios
