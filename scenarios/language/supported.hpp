// Checks that this build simulates everything that a scenario requests.
#pragma once

#include <string>

#include "input/problems.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

// Returns true if it does; otherwise adds a problem of `file` for each key that the models would ignore.
[[nodiscard]] bool is_supported(const Scenario& scenario, const std::string& file, input::Problems& problems);

}  // namespace jostle::scenarios
