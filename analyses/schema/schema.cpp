#include "analyses/schema/schema.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "input/units.hpp"
#include "output/json.hpp"
#include "scenarios/language/keys.hpp"
#include "scenarios/result/result_text.hpp"

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
                                     {"rate", input::rate_dimension},
                                     {"size", input::size_dimension},
                                     {"bandwidth", input::bandwidth_dimension},
                                     {"share", input::share_dimension},
                                     {"drift", input::drift_dimension},
                                     {"power", input::power_dimension},
                                     {"price", input::price_dimension},
                                     {"price_per_time", input::price_per_time_dimension},
                                     {"price_per_size", input::price_per_size_dimension},
                                     {"price_per_energy", input::price_per_energy_dimension},
                                     {"service_life", input::service_life_dimension}};

// The schema of a quantity such as "5 ms": a number, as from_chars reads it, and a unit.
Json quantity(const input::Dimension& dimension) {
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
Json quantity(const std::string& name) {
  const auto* const found = std::ranges::find(dimensions, std::string_view(name), &Dimensions::name);
  if (found == std::end(dimensions)) throw std::out_of_range("no dimension " + name);
  return quantity(found->of());
}

template <class R>
Json section();

// The schema of the values that a reader takes. A limit so high that nobody meets it is left out.
template <class Read>
Json values(const Read& read) {
  constexpr std::int64_t beyond_use = 1'000'000'000;
  if constexpr (requires { Read::definition; }) {
    return {{"$ref", std::string("#/definitions/") + Read::definition}};
  } else if constexpr (requires { read.section; }) {
    return {{"anyOf", {values(input::Boolean{}), values(read.section)}}};
  } else if constexpr (requires { read.defaults; }) {
    return section<std::decay_t<decltype(read.defaults)>>();
  } else if constexpr (requires { read.item; }) {
    return {{"type", "array"}, {"minItems", 1}, {"uniqueItems", true}, {"items", values(read.item)}};
  } else if constexpr (requires { read.names; }) {
    Json schema{{"type", "string"}};
    for (const auto& [name, value] : read.names) schema["enum"].push_back(name);
    return schema;
  } else if constexpr (requires { read.dimension; }) {
    return quantity(read.dimension);
  } else if constexpr (std::is_same_v<Read, profiles::TimeSpan>) {
    return quantity(input::time_dimension());
  } else if constexpr (requires { read.longest; }) {
    return {{"type", "string"}, {"maxLength", read.longest}};
  } else if constexpr (std::is_same_v<Read, input::Real>) {
    return {{"type", "number"}, {"minimum", read.least}};
  } else if constexpr (requires { read.most; }) {
    Json schema{{"type", "integer"}, {"minimum", read.least}};
    if (std::cmp_less(read.most, beyond_use)) schema["maximum"] = read.most;
    return schema;
  } else {
    static_assert(std::is_same_v<Read, input::Boolean>);
    return {{"type", "boolean"}};
  }
}

// The schemas of the rows of a record that this kind of entry has. `given`: schemas that go before those of
// the rows. A key that code reads has one there, or among the definitions.
struct KeySchemas {
  Json given = {};
  scenarios::Kinds entry = 0;
  Json properties = Json::object(), required = {};

  template <class Get, class Read>
  void operator()(const char* key, Get /*member*/, const Read& read, const std::string& words = "",
                  scenarios::Use use = {}) {
    if (!scenarios::has_key(use.of, entry)) return;
    if (use.kind == scenarios::Key::required) required.push_back(key);
    if (given.contains(key)) return code(key);
    const Json schema = values(read);
    Json& to = properties[key] = Json::object();
    const bool words_first = schema.contains("properties") || schema.contains("anyOf");
    if (words_first && !words.empty()) to["description"] = words;
    to.update(schema);
    if (!words.empty()) to["description"] = words;
  }
  void code(const char* key, scenarios::Use use = {}) {
    if (!scenarios::has_key(use.of, entry)) return;
    properties[key] = given.contains(key) ? given[key] : Json{{"$ref", std::string("#/definitions/") + key}};
  }
};
template <class R>
Json section() {
  KeySchemas rows;
  keys(rows, scenarios::KeysOf<R>());
  Json schema{{"type", "object"}, {"required", rows.required}, {"additionalProperties", false}};
  if (rows.required.is_null()) schema.erase("required");
  schema["properties"] = rows.properties;
  return schema;
}

template <class R>
void rows_of(KeySchemas& rows) {
  keys(rows, scenarios::KeysOf<R>());
}
// The schemas of the rows of a record, where the schemas in `given` go before.
Json key_schemas(const std::string& record, const Json& given) {
  using scenarios::kind::instance;
  static const std::map<std::string, void (*)(KeySchemas&)> records{
      {"process", scenarios::process_keys<KeySchemas>},
      {"instance",
       [](KeySchemas& rows) {
         scenarios::process_keys(rows = {rows.given, instance});
       }},
      {"scenario", rows_of<scenarios::Scenario>},
      {"run", rows_of<scenarios::Run>},
      {"synthetic", rows_of<scenarios::SyntheticModel>},
      {"load", scenarios::load_keys<KeySchemas>},
      {"wait", rows_of<process::PollingWait>},
      {"link", rows_of<scenarios::Link>},
      {"link_quality", scenarios::link_quality<KeySchemas>}};
  KeySchemas rows{given};
  records.at(record)(rows);
  return rows.properties;
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
    else if (key == "$keys")
      object.update(filled(key_schemas(value.get<std::string>(), node)));
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
  Json schema = filled(output::parsed_json(text));
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
  return output::json_text(parsed(name), 2) + "\n";
}

}  // namespace analyses
}  // namespace jostle
