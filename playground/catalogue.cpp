#include "playground/catalogue.hpp"

#include <nlohmann/json.hpp>

#include "models/board/spec.hpp"
#include "models/dnn/model_names.hpp"
#include "models/llm/architecture.hpp"
#include "output/json.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/names.hpp"
#include "scenarios/result/grades.hpp"

namespace jostle::playground {
namespace {

using Json = nlohmann::ordered_json;

Json device(const board::DeviceSpec& spec) {
  Json modes = Json::array();
  for (const board::PowerMode& mode : spec.power_modes) modes.push_back(mode.name);
  return {{"name", spec.name},
          {"description", spec.description},
          {"power_modes", std::move(modes)},
          {"default_power_mode", spec.default_power_mode},
          {"cores", spec.core_count()},
          {"gpu", spec.has_gpu()}};
}

template <class T>
Json words(const scenarios::Names<T>& names) {
  Json json = Json::array();
  for (const auto& [word, value] : names) json.push_back(word);
  return json;
}

// The grades of predictions, best first, in the words of the command's pages.
Json grades() {
  Json json = Json::array();
  for (const char* const name : {"measured", "interpolated", "fitted", "datasheet", "assumed"})
    json.push_back(
        {{"name", name}, {"meaning", scenarios::meaning(name)}, {"error", scenarios::usual_error(name)}});
  return json;
}

}  // namespace

std::string catalogue_json() {
  Json devices = Json::array(), models = Json::array(), language = Json::array();
  for (const std::string& name : profiles::device_names()) {
    input::Problems problems;  // shipped profiles are tested
    if (const auto profile = profiles::shipped_profile(name, problems))
      devices.push_back(device(*profile->spec));
  }
  for (const dnn::Model& model : dnn::models())
    models.push_back({{"name", model.name},
                      {"description", model.description},
                      {"family", model.family},
                      {"input", model.default_input}});
  for (const llm::Architecture& model : llm::architectures()) language.push_back(model.name);
  return output::json_text({{"devices", std::move(devices)},
                            {"models", std::move(models)},
                            {"language_models", std::move(language)},
                            {"precisions", words(scenarios::precision_names())},
                            {"runtimes", words(scenarios::runtime_names())},
                            {"syncs", words(scenarios::sync_names())},
                            {"grades", grades()}});
}

}  // namespace jostle::playground
