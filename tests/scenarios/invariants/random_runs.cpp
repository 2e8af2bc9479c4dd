#include "tests/scenarios/invariants/random_runs.hpp"

#include <cstdlib>
#include <stdexcept>

#include "scenarios/language/load.hpp"
#include "scenarios/result/pooled.hpp"
#include "scenarios/result/starved.hpp"
#include "scenarios/run/replications.hpp"
#include "tests/sanitized.hpp"

namespace jostle::scenarios::testing {

std::optional<Scenario> loaded(const std::string& text) {
  static const Catalogue catalogue = shipped_catalogue();
  input::Problems problems;
  return parse_scenario({text, "random.yaml", ""}, catalogue, {}, problems);
}

Simulated simulated(const Scenario& scenario) {
  input::Problems problems;
  auto profile = device_profile(scenario, problems);
  if (!profile) throw std::runtime_error(problems.text());
  const Replications all{.count = static_cast<std::size_t>(scenario.run.replications)};
  std::vector<Result> each = run_replications(scenario, *profile, all, RunControl{}).value();
  Result result = pooled(each);
  warn_of_starved(result);
  return {scenario, std::move(*profile), std::move(each), std::move(result)};
}

std::optional<Simulated> simulated(const std::string& text) {
  const std::optional<Scenario> scenario = loaded(text);
  return scenario ? std::optional(simulated(*scenario)) : std::nullopt;
}

namespace {

int scenarios() {
  const char* const asked = std::getenv("JOSTLE_RANDOM_SCENARIOS");
  return asked != nullptr ? std::atoi(asked) : sanitized ? 50 : 500;
}

int in_each(int all, int parts) {
  return (all + parts - 1) / parts;
}

}  // namespace

int scenarios_in_part() {
  return in_each(scenarios(), parts);
}
int first_in_part(int part) {
  const char* const first = std::getenv("JOSTLE_RANDOM_FIRST");
  return 10'000'000 * part + (first != nullptr ? std::atoi(first) % 5'000'000 : 0);
}
int pairs_in_part() {
  return in_each(scenarios() / 10, pair_parts);
}

}  // namespace jostle::scenarios::testing
