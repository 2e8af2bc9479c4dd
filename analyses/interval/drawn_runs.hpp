// The runs behind a prediction interval: runs with drawn profiles, and runs with the profile itself and other
// seeds.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analyses/interval/uncertain_profile.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {

struct DrawnRuns {
  scenarios::Result point;                  // the scenario's run, with its profile and seed
  std::vector<profiles::Draw> draws;        // drawn parameters
  std::vector<scenarios::Result> drawn;     // one run per draw, each with its own seed
  std::vector<scenarios::Result> repeated;  // runs on the profile itself, each with its own seed
  bool as_long = true;                      // `drawn` and `repeated` last as long as `point`
};

// The runs of each scenario, simulated on all cores. If the scenario's run is long, the other runs last a
// quarter of it (at least 4 s), because means change little with length. If it ends by itself (`batches`,
// `setup`), the other runs do too. Returns none if interrupted. Throws RunError.
[[nodiscard]] std::optional<std::vector<DrawnRuns>> drawn_runs(std::span<const scenarios::Scenario> scenarios,
                                                               const UncertainProfile& profile,
                                                               const scenarios::RunControl& control);

// The runs of one scenario whose own result is known.
[[nodiscard]] std::optional<DrawnRuns> drawn_runs(const scenarios::Scenario& scenario,
                                                  const UncertainProfile& profile,
                                                  const scenarios::Result& point,
                                                  const scenarios::RunControl& control);

}  // namespace jostle::analyses
