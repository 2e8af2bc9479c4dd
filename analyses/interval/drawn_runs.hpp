// The runs that a prediction interval is made of: on drawn profiles, and repeated with other seeds.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analyses/interval/uncertain_profile.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {

struct DrawnRuns {
  scenarios::Result point;                  // the run itself
  std::vector<calibration::Draw> draws;     // of parameters
  std::vector<scenarios::Result> drawn;     // a run on each of them, each with its own seed
  std::vector<scenarios::Result> repeated;  // runs on the profile itself, each with its own seed
  bool as_long = true;                      // these last as long as the run itself
};

// For each scenario, simulated on all cores. Of a long run, draws and repetitions last a quarter (at least
// 4 s), because means change little with length; where the run ends by itself (`batches`, `setup`) they do
// too. None if interrupted. Throws RunError.
[[nodiscard]] std::optional<std::vector<DrawnRuns>> drawn_runs(std::span<const scenarios::Scenario> scenarios,
                                                               const UncertainProfile& profile,
                                                               const scenarios::RunControl& control);

// The same for one scenario whose result is known.
[[nodiscard]] std::optional<DrawnRuns> drawn_runs(const scenarios::Scenario& scenario,
                                                  const UncertainProfile& profile,
                                                  const scenarios::Result& point,
                                                  const scenarios::RunControl& control);

}  // namespace jostle::analyses
