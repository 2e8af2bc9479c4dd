// Replications of configurations: runs with fresh random numbers, in steps that each about double the
// simulated time of a configuration.
//
// The first steps add runs, later ones longer runs: a percentile of few requests is biased, and a queue near
// its capacity needs time to show how long it gets. The random numbers of a step are the same for all
// configurations with the same seed (common random numbers) and differ from those of the scenario's own run.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#include "analyses/plan/goal.hpp"
#include "analyses/plan/samples.hpp"
#include "analyses/study/profiles.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

struct Step {
  std::size_t runs = 0;
  double length = 1;  // each run's length, relative to the scenario's
};
// The cumulative numbers of runs are odd, so that the degrees of freedom are even: sim/student_t.hpp counts
// an odd number as one less.
inline constexpr std::array<Step, 6> replication_steps{{{5, 1}, {4, 1}, {8, 2}, {8, 4}, {8, 8}, {8, 16}}};

// The scenario with a run of this many times its length. A run that ends after a number of batches stays as
// it is.
[[nodiscard]] scenarios::Scenario lengthened(const scenarios::Scenario& scenario, double length);
// The length of the next run of a scenario after a run of this length was too short for a metric: the length
// that the result estimates, else four times as long. None if that is too long.
[[nodiscard]] std::optional<double> next_length(double length, const scenarios::Result& result);

// A configuration and its replications.
struct Replicated {
  scenarios::Scenario scenario;
  Samples samples;
  std::size_t steps = 0;  // steps taken
};

// Runs replications. The references must outlive it.
struct Replicator {
  const Goal& goal;
  Profiles& profiles;
  unsigned threads = 0;  // 0: one per core
  const std::atomic<bool>* interrupt = nullptr;

  // Takes the next step of each configuration, which must have one left. Runs all in parallel. Throws
  // Interrupted, RunError.
  void step(const std::vector<Replicated*>& these) const;
};

// The duration of the configuration's next step, in simulated seconds.
[[nodiscard]] double cost_of_step(const Replicated& one);

}  // namespace jostle::analyses
