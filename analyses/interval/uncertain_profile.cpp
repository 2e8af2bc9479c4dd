#include "analyses/interval/uncertain_profile.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "input/csv.hpp"
#include "input/override.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/with_parameters.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

std::optional<UncertainProfile> uncertain_profile(const std::string& name, const std::string& path,
                                                  input::Problems& problems,
                                                  const std::vector<std::string>& set) {
  auto base =
      path.empty() ? profiles::base_profile(name, problems) : profiles::base_profile_at(path, problems);
  if (!base) return std::nullopt;
  input::Problems own;
  for (const std::string& assignment : set)
    if (base->document) base->document = input::with_override(base->document, assignment, own);
  if (!set.empty()) {
    auto changed = own.empty() ? profiles::profile_of(base->document, own) : std::nullopt;
    problems.append(own);
    if (!changed) return std::nullopt;
    base->profile = std::move(*changed);
  }
  const std::string& device = base->profile.spec->name;
  profiles::Uncertainty uncertainty = profiles::shipped_uncertainty(device);
  const std::string uncertainty_file = path.empty() ? "" : profiles::uncertainty_path(path);
  std::error_code ignored;
  if (!uncertainty_file.empty() && std::filesystem::exists(uncertainty_file, ignored)) {
    try {
      profiles::Uncertainty own_table =
          profiles::parse_uncertainty(input::read_text(uncertainty_file), uncertainty_file, device);
      // The rows of the board come first; those of other boards fill the gaps.
      own_table.residuals.insert(own_table.residuals.end(), uncertainty.residuals.begin(),
                                 uncertainty.residuals.end());
      uncertainty = std::move(own_table);
    } catch (const input::CsvError& error) {
      problems.add({}, {}, error.what());
      return std::nullopt;
    }
  }
  return UncertainProfile{std::move(*base), std::move(uncertainty)};
}

std::optional<UncertainProfile> uncertain_profile(const scenarios::Scenario& scenario,
                                                  input::Problems& problems) {
  auto known = uncertain_profile(scenario.device, scenario.device_path, problems);
  if (!known || scenario.figures.empty()) return known;
  return uncertain_profile(
      scenario.device, scenario.device_path, problems,
      profiles::assignments(known->base.profile, known->base.document, scenario.figures));
}

}  // namespace jostle::analyses
