// The contents of this build: devices with their power modes, networks, and schemas.
#include <nlohmann/json.hpp>

#include "analyses/schema/schema.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/model_names.hpp"
#include "models/llm/architecture.hpp"
#include "output/json.hpp"
#include "profiles/profile/profile.hpp"
#include "python/answers.hpp"

namespace jostle::python {

using Json = nlohmann::ordered_json;

std::string devices() {
  Json all = Json::array();
  for (const std::string& name : profiles::device_names()) {
    input::Problems problems;  // shipped profiles are tested
    const auto profile = profiles::shipped_profile(name, problems);
    if (!profile) continue;
    const board::DeviceSpec& device = *profile->spec;
    Json one{{"name", name}, {"description", device.description}, {"power_modes", Json::array()}};
    for (const board::PowerMode& mode : device.power_modes) one["power_modes"].push_back(mode.name);
    one["default_power_mode"] = device.power_modes.empty() ? Json(nullptr) : Json(device.default_power_mode);
    one["profile_hash"] = profile->hash;
    all.push_back(std::move(one));
  }
  return output::json_text(all);
}

std::string networks() {
  Json all = Json::array();
  for (const dnn::Model& model : dnn::models()) {
    const dnn::Network network = model.build(model.default_input);
    all.push_back({{"name", model.name},
                   {"family", model.series()},
                   {"input", model.default_input},
                   {"parameters", network.parameters()},
                   {"macs", network.macs()},
                   {"source", model.source},
                   {"description", model.description}});
  }
  for (const llm::Architecture& model : llm::architectures())
    all.push_back({{"name", model.name},
                   {"family", "language model"},
                   {"input", nullptr},
                   {"parameters", llm::parameters(model)},
                   {"macs", llm::block_weights(model) + llm::head_weights(model)},
                   {"source", "transformers"},
                   {"description", model.source}});
  return output::json_text(all);
}

std::string schema(const std::string& name) {
  return analyses::schema(name);
}

}  // namespace jostle::python
