#include "analyses/schema/schema.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "analyses/schema/words.hpp"
#include "input/units.hpp"
#include "scenarios/result/result_schema.hpp"

namespace jostle {

// The contents of the files beside this one (jostle_embed_text).
[[nodiscard]] std::string_view schema_of_scenario();
[[nodiscard]] std::string_view schema_of_study();

namespace analyses {
namespace {

using Json = nlohmann::ordered_json;

struct Dimensions {
  std::string_view name;
  const input::Dimension& (*of)();
};
constexpr Dimensions dimensions[] = {{"time", input::time_dimension},
                                     {"frequency", input::frequency_dimension},
                                     {"rate", input::rate_dimension},
                                     {"size", input::size_dimension},
                                     {"bandwidth", input::bandwidth_dimension},
                                     {"power", input::power_dimension},
                                     {"energy_per_bit", input::energy_per_bit_dimension},
                                     {"share", input::share_dimension},
                                     {"drift", input::drift_dimension},
                                     {"temperature", input::temperature_dimension},
                                     {"price", input::price_dimension},
                                     {"price_per_time", input::price_per_time_dimension},
                                     {"price_per_size", input::price_per_size_dimension},
                                     {"price_per_energy", input::price_per_energy_dimension},
                                     {"service_life", input::service_life_dimension}};

// The schema of a quantity such as "5 ms": a number, as from_chars reads it, and a unit.
Json quantity(const std::string& name) {
  const auto* const found = std::ranges::find(dimensions, std::string_view(name), &Dimensions::name);
  if (found == std::end(dimensions)) throw std::out_of_range("no dimension " + name);
  const input::Dimension& dimension = found->of();
  std::string units;
  for (const input::Unit& unit : dimension.units) {
    units += units.empty() ? "" : "|";
    units += unit.name;
    if (unit.name == "us") units += "|\u00B5s|\u03BCs";
  }
  return {{"type", "string"},
          {"pattern", "^-?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)? *(" + units + ")$"},
          {"examples", {dimension.example}}};
}

Json parsed(std::string_view name);

// The schema of a scenario in which the study supplies the rest.
Json partial(Json scenario) {
  scenario.erase("required");
  scenario.erase("$schema");
  scenario.erase("definitions");
  return scenario;
}

// Replaces the placeholders of tables in `node`. Other keys beside a placeholder stay.
Json filled(const Json& node) {
  if (node.is_array()) {
    Json list = Json::array();
    for (const Json& item : node) list.push_back(filled(item));
    return list;
  }
  if (!node.is_object()) return node;
  Json object = Json::object();
  for (const auto& [key, value] : node.items()) {
    if (key == "$names")
      object.update({{"type", "string"}, {"enum", words(value.get<std::string>())}});
    else if (key == "$quantity")
      object.update(quantity(value.get<std::string>()));
    else if (key == "$path")
      object.update({{"type", "string"}, {"pattern", "\\." + value.get<std::string>() + "$|/"}});
    else if (key == "$partial")
      object.update(partial(parsed(value.get<std::string>())));
    else
      object[key] = filled(value);
  }
  return object;
}

Json parsed(std::string_view name) {
  if (name == "result") return filled(scenarios::result_schema());
  const std::string_view text = name == "scenario" ? schema_of_scenario()
                                : name == "study"  ? schema_of_study()
                                                  : throw std::out_of_range("no schema " + std::string(name));
  Json schema = filled(Json::parse(text));
  if (name != "study") return schema;
  const Json scenario = parsed("scenario");
  for (const auto& [key, definition] : scenario["definitions"].items()) {
    Json& here = schema["definitions"][key] = definition;
    if (key == "process") here.erase("anyOf");
    if (key == "process" || key == "instance") here.erase("required");
  }
  return schema;
}

}  // namespace

const std::vector<std::string>& schema_names() {
  static const std::vector<std::string> names{"scenario", "study", "result"};
  return names;
}

std::string schema(std::string_view name) {
  return parsed(name).dump(2) + "\n";
}

}  // namespace analyses
}  // namespace jostle
