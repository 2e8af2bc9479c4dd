// Runs of random scenarios, and how many of them tests make.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/invariants/laws.hpp"

namespace jostle::scenarios::testing {

// None if the loader refuses the text.
[[nodiscard]] std::optional<Scenario> loaded(const std::string& text);

// A run with all that laws look at.
struct Simulated {
  Scenario scenario;
  profiles::Profile profile;
  std::vector<Result> replications;
  Result result;

  [[nodiscard]] Run run() const { return {scenario, *profile.spec, result, replications}; }
};
// Throws std::runtime_error where the run ends so.
[[nodiscard]] Simulated simulated(const Scenario& scenario);
// None if the loader refuses the text.
[[nodiscard]] std::optional<Simulated> simulated(const std::string& text);

inline constexpr int parts = 20;  // of the random scenarios, for ctest to run side by side
// Scenarios in each: of 500, or of JOSTLE_RANDOM_SCENARIOS of the environment; and the number of the first,
// which JOSTLE_RANDOM_FIRST moves.
[[nodiscard]] int scenarios_in_part();
[[nodiscard]] int first_in_part(int part);
inline constexpr int pair_parts = 8;  // of the pairs, of which there are a tenth as many
[[nodiscard]] int pairs_in_part();

}  // namespace jostle::scenarios::testing
