#include "analyses/study/profiles.hpp"

#include <utility>

#include "calibration/profile/profile.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

std::shared_ptr<const calibration::Profile> Profiles::find(const std::string& name, const std::string& path,
                                                           input::Problems& problems) {
  const std::lock_guard lock(guard_);
  const std::string key = path.empty() ? name : path;
  if (const auto known = read_.find(key); known != read_.end()) return known->second;
  auto profile =
      path.empty() ? calibration::shipped_profile(name, problems) : calibration::read_profile(path, problems);
  if (!profile) return nullptr;
  return read_[key] = std::make_shared<const calibration::Profile>(*std::move(profile));
}

std::shared_ptr<const calibration::Profile> Profiles::of(const scenarios::Scenario& scenario,
                                                         input::Problems& problems) {
  if (scenario.figures.empty()) return find(scenario.device, scenario.device_path, problems);
  auto profile = scenarios::device_profile(scenario, problems);
  return profile ? std::make_shared<const calibration::Profile>(*std::move(profile)) : nullptr;
}

scenarios::Catalogue Profiles::catalogue() {
  scenarios::Catalogue catalogue = scenarios::shipped_catalogue();
  catalogue.device = [this](const std::string& name, const std::string& path,
                            input::Problems& problems) -> std::optional<board::DeviceSpec> {
    const auto profile = find(name, path, problems);
    return profile ? std::optional(*profile->spec) : std::nullopt;
  };
  return catalogue;
}

}  // namespace jostle::analyses
