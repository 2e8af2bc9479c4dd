#include "python/source.hpp"

#include <utility>

#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::python {

analyses::Profiles& shipped_profiles() {
  static analyses::Profiles profiles;
  return profiles;
}

scenarios::Scenario scenario_of(const Source& source, const scenarios::LoadOptions& options,
                                Warnings& warnings) {
  input::Problems problems;
  scenarios::Catalogue catalogue = scenarios::shipped_catalogue();
  catalogue.device = [files = catalogue.device](const auto& name, const auto& path, auto& found) {
    if (!path.empty()) return files(name, path, found);
    const auto profile = shipped_profiles().find(name, path, found);
    return profile ? std::optional(*profile->spec) : std::nullopt;
  };
  auto scenario =
      source.text ? scenarios::parse_scenario({*source.text, source.name, ""}, catalogue, options, problems)
                  : scenarios::load_scenario(source.name, catalogue, options, problems);
  if (!scenario) throw Invalid{problems};
  for (std::string& warning : scenarios::warnings(*scenario)) warnings.push_back(std::move(warning));
  return std::move(*scenario);
}

analyses::Study study_of(const Source& source, const std::vector<profiles::DocumentKind>& kinds) {
  input::Problems problems;
  auto study = source.text ? analyses::parse_study(*source.text, source.name, "", problems)
                           : analyses::load_study(source.name, problems);
  if (!study || profiles::is_another_kind(study->document, source.name, kinds, problems))
    throw Invalid{problems};
  return std::move(*study);
}

ReadyStudy checked(analyses::Study study, analyses::Profiles& profiles, unsigned threads,
                   const std::atomic<bool>* interrupt, Warnings& warnings) {
  input::Problems problems;
  auto points = analyses::check_points(study, profiles, threads, interrupt, problems);
  if (!points) throw Invalid{problems};
  warnings.insert(warnings.end(), points->warnings.begin(), points->warnings.end());
  return {std::move(study), std::move(*points)};
}

}  // namespace jostle::python
