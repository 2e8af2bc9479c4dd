// A profile together with the uncertainty of its parameters.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiles/profile/base_profile.hpp"
#include "profiles/profile/uncertainty.hpp"

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

}  // namespace jostle::analyses
