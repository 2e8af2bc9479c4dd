// A profile together with the uncertainty of its parameters.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiles/profile/base_profile.hpp"
#include "profiles/profile/uncertainty.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::scenarios {
struct Scenario;
}

namespace jostle::analyses {

// A profile with the uncertainty of its parameters: a shipped one by name, or a file (`path` not empty) with
// its uncertainty in a file next to it, if there is one. `set` overrides parameters. An unreadable table is
// reported as a problem.
struct UncertainProfile {
  profiles::BaseProfile base;
  profiles::Uncertainty uncertainty;
};
[[nodiscard]] std::optional<UncertainProfile> uncertain_profile(const std::string& name,
                                                                const std::string& path,
                                                                input::Problems& problems,
                                                                const std::vector<std::string>& set = {});

// The profile of a scenario, with its parameter overrides.
[[nodiscard]] std::optional<UncertainProfile> uncertain_profile(const scenarios::Scenario& scenario,
                                                                input::Problems& problems);

// The runs behind a prediction interval: runs with drawn profiles, and runs with the profile itself and other
// seeds.
struct DrawnRuns {
  scenarios::Result point;                  // the scenario's run, with its profile and seed
  std::vector<profiles::Draw> draws;        // drawn parameters
  std::vector<scenarios::Result> drawn;     // one run per draw, each with its own seed
  std::vector<scenarios::Result> repeated;  // runs on the profile itself, each with its own seed
  bool as_long = true;                      // `drawn` and `repeated` last as long as `point`
};

// The runs of each scenario, simulated on all cores. If the scenario's run is long, the other runs last a
// quarter of it (at least 4 s; a twentieth and 1 s where most batches are repeated ones), because means
// change little with length. If it ends by itself (`batches`, `setup`), the other runs do too. Returns none
// if interrupted. Throws RunError.
[[nodiscard]] std::optional<std::vector<DrawnRuns>> drawn_runs(std::span<const scenarios::Scenario> scenarios,
                                                               const UncertainProfile& profile,
                                                               const scenarios::RunControl& control);

// The answers sought from them: also the shares of single parameters, which take 32 draws where parameters
// matter, or the ends of intervals only.
enum class Sought : std::uint8_t { shares, ends };

// The runs of one scenario whose own result is known: only as many as the intervals need (are_enough(),
// interval.hpp).
[[nodiscard]] std::optional<DrawnRuns> drawn_runs(const scenarios::Scenario& scenario,
                                                  const UncertainProfile& profile,
                                                  const scenarios::Result& point,
                                                  const scenarios::RunControl& control,
                                                  Sought sought = Sought::shares);

}  // namespace jostle::analyses
