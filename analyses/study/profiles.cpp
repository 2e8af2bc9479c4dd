#include "analyses/study/profiles.hpp"

#include <utility>

#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"
#include "scenarios/run/shared_work.hpp"

namespace jostle::analyses {

std::shared_ptr<const profiles::Profile> Profiles::find(const std::string& name, const std::string& path,
                                                        input::Problems& problems) {
  const std::lock_guard lock(guard_);
  const std::string key = path.empty() ? name : path;
  if (const auto found = read_.find(key); found != read_.end()) return found->second.profile;
  auto profile =
      path.empty() ? profiles::shipped_profile(name, problems) : profiles::read_profile(path, problems);
  if (!profile) return nullptr;
  return (read_[key] = known(*std::move(profile))).profile;
}

Profiles::Known Profiles::known(profiles::Profile profile) {
  return {std::make_shared<const profiles::Profile>(std::move(profile)),
          std::make_shared<scenarios::SharedWork>()};
}

std::shared_ptr<scenarios::SharedWork> Profiles::work(const profiles::Profile& profile) {
  const std::lock_guard lock(guard_);
  for (const auto& [name, each] : read_)
    if (each.profile.get() == &profile) return each.work;
  for (const auto& [name, each] : overridden_)
    if (each.profile.get() == &profile) return each.work;
  return nullptr;
}

std::shared_ptr<const profiles::Profile> Profiles::of(const scenarios::Scenario& scenario,
                                                      input::Problems& problems) {
  if (scenario.figures.empty()) return find(scenario.device, scenario.device_path, problems);
  std::string key = scenario.device + '\n' + scenario.device_path;
  for (const auto& [path, value] : scenario.figures) key.append("\n").append(path).append("\n").append(value);
  {
    const std::lock_guard lock(guard_);
    for (const auto& [name, each] : overridden_)
      if (name == key) return each.profile;
  }
  auto profile = scenarios::device_profile(scenario, problems);
  if (!profile) return nullptr;
  const std::lock_guard lock(guard_);
  if (overridden_.size() == kept) overridden_.pop_front();
  return overridden_.emplace_back(key, known(*std::move(profile))).second.profile;
}

std::shared_ptr<const profiles::Profile> Profiles::required(const scenarios::Scenario& scenario) {
  input::Problems problems;
  auto profile = of(scenario, problems);
  if (!profile) throw scenarios::RunError(problems.text());
  return profile;
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
