// Runs an assembled scenario once and returns its result.
#pragma once

#include <optional>

#include "scenarios/run/assemble.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::scenarios {

// Runs with the assembly's seed; `run.replications` of the scenario is ignored. Absent if it was interrupted.
// Throws RunError.
[[nodiscard]] std::optional<Result> one_run(const Scenario& scenario, const profiles::Profile& profile,
                                            Assembly assembly, const RunControl& control);

// The result before a run: the request, and which processes fit.
[[nodiscard]] Result prepared(const Scenario& scenario, const profiles::Profile& profile,
                              const Assembly& assembly);

// Gives the assembled board the heat with which the scenario begins (run.thermal). Returns false if the load
// would shut the board down: the result then says so, and there is nothing to simulate.
[[nodiscard]] bool settle(Result& result, const Scenario& scenario, Assembly& assembly,
                          const RunControl& control);

}  // namespace jostle::scenarios
