// Explanations of scenarios for tests.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "analyses/explain/explain.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {

inline Explanation explained(const std::string& text, const std::vector<std::string>& set = {}) {
  const scenarios::Scenario scenario = scenarios::testing::scenario_of(text, nullptr, {set, std::nullopt});
  return explain({.scenario = scenario, .directory = "", .what_ifs = {}}, {});
}

// The change of that name; throws if it was not tried.
inline const Tried& tried(const Explanation& explanation, const std::string& name) {
  for (const Tried& each : explanation.tried)
    if (each.what_if.name == name) return each;
  throw std::runtime_error("not tried: " + name);
}

}  // namespace jostle::analyses
