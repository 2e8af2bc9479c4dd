// The devices and models that ship with this build, from which the loader chooses.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "input/file.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
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

std::string model_hint(const std::string& text, const std::string& path, std::vector<std::string> own) {
  constexpr const char* others = "others are read from an .onnx file or a config.json";
  constexpr std::array weights{".gguf", ".safetensors", ".pt", ".pth", ".engine"};
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return fmt::format("a language model is read from its config.json: {}",
                       input::printable((std::filesystem::path(text) / "config.json").string()));
  const std::string last = text.substr(text.rfind('/') + 1), asked = dnn::folded(last);
  std::vector<std::string> names = dnn::known_names(), near;
  for (const llm::Architecture& of : llm::architectures()) names.emplace_back(of.name);
  for (const std::string& name : names)  // the longest that begins it
    if (name.size() > (near.empty() ? 3 : near.front().size()) && asked.starts_with(dnn::folded(name)))
      near = {name};
  const bool variant = !near.empty() || text.find_first_of("/:") != std::string::npos;
  const bool file = std::ranges::any_of(weights, [&](const char* end) { return text.ends_with(end); });
  own.insert(own.end(), names.begin(), names.end());
  if (near.empty() && !file) near = input::similar(text, own);
  if (near.empty() && !file) near = input::similar(last, own);
  if (near.empty()) return fmt::format("jostle list models names all; {}", others);
  return input::did_you_mean(std::move(near)) + (variant ? fmt::format(" {}", others) : "");
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
