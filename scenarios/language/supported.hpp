// Whether this build simulates all that a scenario asks for.
#pragma once

#include <string>

#include "input/problems.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

// True if it does; else a problem of `file` for each key that the models would ignore.
[[nodiscard]] bool is_supported(const Scenario& scenario, const std::string& file, input::Problems& problems);

}  // namespace jostle::scenarios
