#include "output/json.hpp"

#include <nlohmann/json.hpp>

namespace jostle::output {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string json_string(std::string_view text) {
  return json_text(Json(text));
}

Json parsed_json(std::string_view text) {
  return Json::parse(text);
}

Json parsed_json_or_discarded(std::string_view text) {
  return Json::parse(text, nullptr, false);
}

}  // namespace jostle::output
