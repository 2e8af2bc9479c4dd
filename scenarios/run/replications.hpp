// Independent replications of a run: the same scenario with other random numbers, in parallel on all cores.
// Every random quantity is drawn anew in each, including the phases of periodic arrivals that the scenario
// leaves open. Each has its own warm-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/result/result.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::scenarios {

struct Scenario;

// Seed of replication `number` of a scenario with `seed`. Replication 0 has the scenario's own seed: it is
// the run without replications.
[[nodiscard]] std::uint64_t replication_seed(std::uint64_t seed, std::uint64_t number);

// The replications numbered first, first + 1, ... ; another `first` gives fresh ones.
struct Replications {
  std::uint64_t first = 0;
  std::size_t count = 1;
};

// Returns the results in the order of their numbers, the same for any number of cores; `run.replications` of
// the scenario is ignored. pooled() (scenarios/result/pooled.hpp) makes one result of them. Absent if
// interrupted. Only replication 0 is written to `control.trace`. Throws RunError, also if requests or answers
// are given (RunControl::requests, answered), since those belong to one run.
[[nodiscard]] std::optional<std::vector<Result>> run_replications(const Scenario& scenario,
                                                                  const profiles::Profile& profile,
                                                                  const Replications& which,
                                                                  const RunControl& control);

// Runs an assembled scenario once and returns its result.

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
