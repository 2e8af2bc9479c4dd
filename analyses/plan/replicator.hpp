// Replications of configurations: runs with fresh random numbers, in steps of which each about doubles what a
// configuration has been simulated for.
//
// The first steps add runs, the later ones longer runs: a percentile of few requests is biased, and a queue
// near its capacity needs time to show how long it gets. The random numbers of a step are the same for all
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
  double length = 1;  // of each, by the scenario's own
};
// The numbers of runs add up to odd ones: sim/student_t.hpp likes even degrees of freedom.
inline constexpr std::array<Step, 6> replication_steps{{{5, 1}, {4, 1}, {8, 2}, {8, 4}, {8, 8}, {8, 16}}};

// The scenario with a run of this many times its length; a run that ends after so many batches as it is.
[[nodiscard]] scenarios::Scenario lengthened(const scenarios::Scenario& scenario, double length);
// The length of the next run of a scenario, where one of this length was too short for a metric: what the
// result says would do, else four times as long; none: that is too long.
[[nodiscard]] std::optional<double> next_length(double length, const scenarios::Result& result);

// A configuration that is to be replicated.
struct Replicated {
  scenarios::Scenario scenario;
  Samples samples;
  std::size_t steps = 0;  // taken
};

// What makes replications. The references must outlive it.
struct Replicator {
  const Goal& goal;
  Profiles& profiles;
  unsigned threads = 0;  // 0: one per core
  const std::atomic<bool>* interrupt = nullptr;

  // Takes the next step of each, which must have one left; all runs side by side. Throws Interrupted,
  // RunError.
  void step(const std::vector<Replicated*>& these) const;
};

// How long the next step of one takes, in simulated seconds.
[[nodiscard]] double cost_of_step(const Replicated& one);

}  // namespace jostle::analyses
