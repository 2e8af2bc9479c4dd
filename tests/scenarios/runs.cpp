#include "tests/scenarios/runs.hpp"

#include <stdexcept>
#include <utility>

#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios::testing {

const std::vector<std::string>& gpu_devices() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    for (const std::string& name : profiles::device_names()) {
      input::Problems problems;
      const auto profile = profiles::shipped_profile(name, problems);
      if (profile && profile->spec->has_gpu()) found.push_back(name);
    }
    return found;
  }();
  return names;
}

profiles::Profile changed_profile(const std::string& device, const std::vector<std::string>& assignments) {
  const std::string text = profiles::device_text(device).value();
  std::vector<std::string> set;
  const auto accepted = [&](const std::string& assignment) {
    set.push_back(assignment);
    input::Problems problems;
    if (profiles::parse_profile(text, device, problems, set)) return true;
    set.pop_back();
    return false;
  };
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (!accepted(assignment.substr(0, equals) + ".value" + assignment.substr(equals)))
      set.push_back(assignment);
  }
  input::Problems problems;
  auto profile = profiles::parse_profile(text, device, problems, set);
  if (!profile) throw std::runtime_error(problems.text());
  return std::move(*profile);
}

Scenario scenario_of(const std::string& text, const profiles::Profile* profile, const LoadOptions& options) {
  Catalogue catalogue = shipped_catalogue();
  if (profile != nullptr)
    catalogue.device = [profile](const std::string&, const std::string&, input::Problems&) {
      return std::optional(*profile->spec);
    };
  input::Problems problems;
  auto scenario = parse_scenario({text, "test.yaml", ""}, catalogue, options, problems);
  if (!scenario) throw std::runtime_error(problems.text());
  return std::move(*scenario);
}

Result run_text(const std::string& text, const LoadOptions& options) {
  return run(scenario_of(text, nullptr, options), RunControl{}).value();
}

Result run_on(const profiles::Profile& profile, const std::string& text) {
  return run(scenario_of(text, &profile), profile, RunControl{}).value();
}

}  // namespace jostle::scenarios::testing
