// The JSON Schema of a result, from the rows of fields.hpp.
//
// Each metric has its line of text as `description` and its unit as `unit`. Records that have a name are
// definitions. "$names" stands for the names of an enum, which a higher layer fills in (analyses/schema).
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "scenarios/result/fields.hpp"
#include "scenarios/result/result_text.hpp"

namespace jostle::scenarios {
namespace {

using Json = nlohmann::ordered_json;

// The names of records that occur in several places, or that users look up by name. The schemas of all others
// are inlined.
template <class R>
constexpr std::string_view schema_name{};
template <>
constexpr std::string_view schema_name<IntervalParts> = "pi90_parts";
template <>
constexpr std::string_view schema_name<Throughput> = "throughput";
template <>
constexpr std::string_view schema_name<Times> = "times";
template <>
constexpr std::string_view schema_name<Latency> = "latency";
template <>
constexpr std::string_view schema_name<WindowShares> = "window";
template <>
constexpr std::string_view schema_name<GpuWindows> = "windows";
template <>
constexpr std::string_view schema_name<TokenResult> = "tokens";
template <>
constexpr std::string_view schema_name<InstanceResult> = "instance";
template <>
constexpr std::string_view schema_name<ProcessResult> = "process";

Json reference(const std::string& name) {
  return {{"$ref", "#/definitions/" + name}};
}
Json or_null(Json schema) {
  if (!schema.contains("type") || !schema["type"].is_string() || schema.contains("items"))
    return {{"anyOf", Json::array({{{"type", "null"}}, std::move(schema)})}};
  schema["type"] = Json::array({schema["type"], "null"});
  return schema;
}
Json object_of(const Json& values) {
  return {{"type", "object"}, {"additionalProperties", values}};
}
Json list_of(const Json& items) {
  return {{"type", "array"}, {"items", items}};
}

// Builds the schemas of types, and collects definitions on the way.
class Schemas {
 public:
  Schemas() {
    Json two = list_of(reference("figure"));
    two.update({{"minItems", 2}, {"maxItems", 2}});
    definitions = {{"figure", {{"type", Json::array({"number", "null"})}}}, {"interval", or_null(two)}};
    definitions["interval"]["description"] = "From, to";
  }

  template <class T>
  Json of(std::type_identity<T> /*type*/) {
    if constexpr (std::is_same_v<T, bool>)
      return {{"type", "boolean"}};
    else if constexpr (std::is_integral_v<T>)
      return {{"type", "integer"}};
    else if constexpr (std::is_same_v<T, std::string>)
      return {{"type", "string"}};
    else if constexpr (std::is_same_v<T, double>)
      return {{"type", "number"}};
    else
      return record<T>();
  }
  Json of(std::type_identity<Metric> /*type*/) { return reference("figure"); }
  Json of(std::type_identity<Interval> /*type*/) { return reference("interval"); }
  Json of(std::type_identity<NamedParameters> /*type*/) { return object_of(reference("figure")); }
  template <class T>
  Json of(std::type_identity<std::optional<T>> /*type*/) {
    Json schema = of(std::type_identity<T>());
    return Record<T> ? schema : or_null(std::move(schema));
  }
  template <class T>
  Json of(std::type_identity<std::vector<T>> /*type*/) {
    return list_of(of(std::type_identity<T>()));
  }
  template <class T>
  Json of(std::type_identity<Named<T>> /*type*/) {
    return object_of(of(std::type_identity<T>()));
  }
  Json of(std::type_identity<std::pair<double, double>> /*type*/) {
    Json two = list_of({{"type", "number"}});
    two.update({{"minItems", 2}, {"maxItems", 2}});
    return two;
  }

  Json definitions;

 private:
  template <Record R>
  Json record();
};

Json described(Json schema, const About& about) {
  const bool words = *about.words != 0, unit = about.unit != Unit::none && about.unit != Unit::json;
  if (about.unit == Unit::json) schema["type"] = "object";
  if (*about.one_of == '$') {
    schema = {{"$names", about.one_of + 1}};
  } else if (*about.one_of != 0) {
    std::string_view rest = about.one_of;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('|'), rest.size());
      schema["enum"].push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  if (schema.contains("$ref") && (words || unit)) schema = {{"allOf", Json::array({schema})}};
  if (words) schema["description"] = about.words;
  if (const char* const name = unit_names.at(static_cast<std::size_t>(about.unit)); *name != 0)
    schema["unit"] = name;
  return schema;
}

// Visits the rows of a record.
template <class R>
class Properties {
 public:
  Properties(Schemas& schemas, Json& object, bool all_optional = false)
      : schemas_(schemas), object_(object), all_optional_(all_optional) {}

  template <class Get, class Rule>
  void operator()(std::string_view key, const Get& /*get*/, const Rule& /*rule*/, const About& about,
                  Shown shown = Shown::always) {
    put<Get>(key, about, shown);
  }
  template <class Get>
  void derived(std::string_view key, const Get& /*get*/, const About& about, Shown shown = Shown::always) {
    put<Get>(key, about, shown);
  }
  template <class Get, class Rule>
  void inlined(const Get& /*get*/, const Rule& /*rule*/) {
    using Part = std::decay_t<std::invoke_result_t<Get, const R&>>;
    if constexpr (Record<Part>) {
      Properties<Part> rows(schemas_, object_);
      fields(rows, Of<Part>());
    } else {
      object_["additionalProperties"] = schemas_.of(std::type_identity<typename Part::value_type>());
    }
  }
  template <class Rows>
  void group(std::string_view key, const About& about, const Rows& rows) {
    add(key, inside(about, rows), Shown::always);
  }
  template <class Rows, class There>
  void group(std::string_view key, const About& about, const Rows& rows, const There& /*there*/) {
    add(key, inside(about, rows), Shown::else_null);
  }

 private:
  template <class Get>
  void put(std::string_view key, const About& about, Shown shown) {
    if (shown == Shown::never) return;
    using Value = std::decay_t<std::invoke_result_t<Get, const R&>>;
    Json schema = schemas_.of(std::type_identity<Value>());
    if (shown == Shown::keys)
      for (Json& metric : schema["properties"]) metric = reference("figure");
    add(key, described(std::move(schema), about), shown);
  }
  template <class Rows>
  Json inside(const About& about, const Rows& rows) {
    Json object = {{"type", "object"}};
    Properties within(schemas_, object);
    rows(within);
    object["additionalProperties"] = false;
    return described(std::move(object), about);
  }
  void add(std::string_view key, Json schema, Shown shown) {
    if (shown == Shown::else_null) schema = or_null(std::move(schema));
    if (shown != Shown::if_there && !all_optional_) object_["required"].push_back(key);
    object_["properties"][std::string(key)] = std::move(schema);
  }

  Schemas& schemas_;
  Json& object_;
  bool all_optional_;
};

template <Record R>
Json Schemas::record() {
  const std::string name(schema_name<R>);
  if (!name.empty() && definitions.contains(name)) return reference(name);
  Json object = {{"type", "object"}};
  object["additionalProperties"] = false;
  Properties<R> rows(*this, object);
  fields(rows, Of<R>());
  if constexpr (std::is_same_v<R, ProcessResult>) {
    Properties<LoadResult> of_loads(*this, object, true);
    fields(of_loads, Of<LoadResult>());
  }
  if (name.empty()) return object;
  definitions[name] = std::move(object);
  return reference(name);
}

}  // namespace

const Json& result_schema() {
  static const Json schema = [] {
    Schemas schemas;
    Json whole{
        {"$schema", "http://json-schema.org/draft-07/schema#"},
        {"title", "A result of jostle run --format json"},
        {"description", "One object on one line (docs/result.md). A metric that is undefined is null"}};
    whole.update(schemas.of(std::type_identity<Result>()));
    whole["definitions"] = schemas.definitions;
    return whole;
  }();
  return schema;
}

}  // namespace jostle::scenarios
