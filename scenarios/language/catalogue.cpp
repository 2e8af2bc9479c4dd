// The devices and models that ship with this build, from which the loader chooses.

#include "input/file.hpp"
#include "input/parse.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/model_names.hpp"
#include "models/llm/architecture.hpp"
#include "profiles/profile/base_profile.hpp"
#include "profiles/profile/like.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {
namespace {

std::optional<profiles::Profile> profile_at(const std::string& name, const std::string& path,
                                            input::Problems& problems) {
  return path.empty() ? profiles::shipped_profile(name, problems) : profiles::read_profile(path, problems);
}

}  // namespace

Catalogue shipped_catalogue() {
  const auto device = [](const std::string& name, const std::string& path,
                         input::Problems& problems) -> std::optional<board::DeviceSpec> {
    const auto profile = profile_at(name, path, problems);
    return profile ? std::optional(*profile->spec) : std::nullopt;
  };
  std::vector<std::string> models = dnn::model_names();
  for (const llm::Architecture& of : llm::architectures()) models.emplace_back(of.name);
  return {profiles::device_names(), std::move(models), device};
}

std::optional<profiles::Profile> device_profile(const Scenario& scenario, input::Problems& problems) {
  const std::string& path = scenario.device_path;
  if (scenario.figures.empty()) return profile_at(scenario.device, path, problems);
  const auto text = path.empty() ? profiles::device_text(scenario.device)
                                 : input::read_text_file(path, input::Limits{}.bytes, problems);
  if (!text) return profile_at(scenario.device, path, problems);  // reports the problem
  return profiles::with_parameters(
      profiles::profile_document(*text, path.empty() ? scenario.device : path, problems), scenario.figures,
      problems);
}

}  // namespace jostle::scenarios
