// Figures of a scenario: values put over parameters of its profile.
#pragma once

#include <string>

namespace jostle::scenarios {

struct Scenario;

// Puts a value over a parameter of the profile, or over the value that the scenario has for it.
void put(Scenario& scenario, const std::string& path, std::string value);

}  // namespace jostle::scenarios
