// Independent replications of a run: the same scenario with other random numbers, side by side on all cores.
// What is drawn is drawn anew in each: also the phases of periodic arrivals that the scenario leaves open.
// The warm-up is cut off each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/result/result.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::scenarios {

struct Scenario;

// Seed of the replication of that number, of a scenario with `seed`. The replication 0 has the scenario's
// own: it is the run without replications.
[[nodiscard]] std::uint64_t replication_seed(std::uint64_t seed, std::uint64_t number);

// Those numbered first, first + 1, ... : with another `first` they are fresh ones.
struct Replications {
  std::uint64_t first = 0;
  std::size_t count = 1;
};

// The results in the order of their numbers, the same for any number of cores; `run.replications` of the
// scenario does not count here. pooled() (scenarios/result/pooled.hpp) makes one result of them. None if
// interrupted. Only the replication 0 goes to `control.trace`. Throws RunError, also where requests or
// answers are handed over (RunControl::requests, answered): those are of one run.
[[nodiscard]] std::optional<std::vector<Result>> run_replications(const Scenario& scenario,
                                                                  const calibration::Profile& profile,
                                                                  const Replications& which,
                                                                  const RunControl& control);

}  // namespace jostle::scenarios
