// The keys that a schema allows at a path, and the values that they take: for completion, and to compare the
// schema with the loader.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "analyses/schema/schema.hpp"
#include "models/media/spec.hpp"
#include "output/json.hpp"
#include "profiles/profile/profile.hpp"
#include "profiles/tables/stage_costs.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/names.hpp"

namespace jostle::analyses {
namespace {

using Json = nlohmann::ordered_json;
using Alternatives = std::vector<const Json*>;

const Json& document_of(std::string_view name) {
  thread_local std::map<std::string, Json, std::less<>> known;
  const auto found = known.find(name);
  return found != known.end()
             ? found->second
             : known.emplace(std::string(name), output::parsed_json(schema(name))).first->second;
}

// Adds the node, the node that it refers to, and each of its alternatives.
void add(const Json& root, const Json& node, Alternatives& to) {
  if (!node.is_object()) return;
  if (const auto reference = node.find("$ref"); reference != node.end())
    return add(root, root.at(Json::json_pointer(reference->get<std::string>().substr(1))), to);
  to.push_back(&node);
  for (const char* const list : {"anyOf", "oneOf", "allOf"})
    if (const auto all = node.find(list); all != node.end())
      for (const Json& one : *all) add(root, one, to);
  for (const char* const branch : {"then", "else"})
    if (const auto one = node.find(branch); one != node.end()) add(root, *one, to);
}

bool is_index(const std::string& step) {
  return step == "*" ||
         (!step.empty() && std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; }));
}

Alternatives below(const Json& root, const Alternatives& at, const std::string& step) {
  Alternatives found;
  for (const Json* const node : at) {
    if (const auto items = node->find("items"); items != node->end() && is_index(step))
      add(root, *items, found);
    const auto properties = node->find("properties");
    if (properties != node->end() && properties->contains(step))
      add(root, (*properties)[step], found);
    else if (const auto others = node->find("additionalProperties"); others != node->end())
      add(root, *others, found);
  }
  return found;
}

Alternatives at(std::string_view name, std::string_view path) {
  const Json& root = document_of(name);
  Alternatives nodes;
  add(root, root, nodes);
  std::string step;
  for (std::istringstream steps{std::string(path)}; std::getline(steps, step, '.');)
    nodes = below(root, nodes, step);
  return nodes;
}

bool has_keys(const Json& root, const Json& node) {
  Alternatives nodes;
  add(root, node, nodes);
  return std::ranges::any_of(nodes, [](const Json* one) {
    return one->contains("properties") || one->contains("items") ||
           (one->contains("additionalProperties") && one->at("additionalProperties").is_object());
  });
}

void add_objects(const Json& root, const Json& node, const std::string& path, std::set<std::string>& to) {
  Alternatives nodes;
  add(root, node, nodes);
  const auto inner = [&path](const std::string& step) { return path.empty() ? step : path + "." + step; };
  for (const Json* const one : nodes) {
    if (const auto items = one->find("items"); items != one->end()) add_objects(root, *items, inner("*"), to);
    if (const auto others = one->find("additionalProperties"); others != one->end())
      add_objects(root, *others, inner("*"), to);
    const auto properties = one->find("properties");
    if (properties == one->end()) continue;
    to.insert(path);
    for (const auto& [key, value] : properties->items()) add_objects(root, value, inner(key), to);
  }
}

using List = std::vector<std::string>;

template <const auto& (*names)()>
List of() {
  List list;
  for (const auto& [name, value] : names()) list.push_back(name);
  return list;
}

List stage_processors() {
  List list{"cpu", "gpu"};
  for (const auto& name : media::kind_names) list.emplace_back(name);
  return list;
}

// The ways and the processors of a word for a stage.
List ways_of(std::string_view word) {
  List list;
  for (const profiles::StageCost& cost : profiles::stage_costs()) {
    if (cost.word != word) continue;
    for (const std::string& name : {cost.way, cost.on})
      if (!name.empty() && std::ranges::find(list, name) == list.end()) list.push_back(name);
  }
  if (word == "nms") list.emplace_back("engine");
  return list;
}

struct Words {
  std::string_view what;  // kind: "precision", "device"
  List (*list)();
};
constexpr Words table[] = {{"device", [] { return profiles::device_names(); }},
                           {"model", [] { return scenarios::shipped_catalogue().models; }},
                           {"precision", of<scenarios::precision_names>},
                           {"weight_format", of<scenarios::weight_format_names>},
                           {"runtime", of<scenarios::runtime_names>},
                           {"sync", of<scenarios::sync_names>},
                           {"placement", of<scenarios::placement_names>},
                           {"load", of<scenarios::load_names>},
                           {"sharing", of<scenarios::sharing_names>},
                           {"interleave", of<scenarios::interleave_names>},
                           {"priority", of<scenarios::priority_names>},
                           {"drop", of<scenarios::drop_names>},
                           {"fan_out", of<scenarios::fan_out_names>},
                           {"stage_processor", stage_processors}};

}  // namespace

std::vector<SchemaKey> keys_at(std::string_view name, std::string_view path) {
  std::map<std::string, SchemaKey> keys;
  for (const Json* const node : at(name, path)) {
    const auto properties = node->find("properties");
    if (properties == node->end()) continue;
    for (const auto& [key, value] : properties->items())
      keys.emplace(key, SchemaKey{key, value.value("description", ""), has_keys(document_of(name), value)});
  }
  std::vector<SchemaKey> list;
  for (auto& [key, value] : keys) list.push_back(std::move(value));
  return list;
}

std::vector<std::string> words_at(std::string_view name, std::string_view path) {
  std::vector<std::string> words;
  for (const Json* const node : at(name, path)) {
    if (const auto list = node->find("enum"); list != node->end())
      for (const Json& word : *list)
        if (word.is_string()) words.push_back(word.get<std::string>());
    if (node->value("type", Json()) == "boolean") words.insert(words.end(), {"true", "false"});
  }
  return words;
}

std::set<std::string> objects_of(std::string_view name) {
  std::set<std::string> paths;
  add_objects(document_of(name), document_of(name), "", paths);
  return paths;
}

std::vector<std::string> words(std::string_view what) {
  constexpr std::string_view of_stage = "stage ";
  if (what.starts_with(of_stage)) return ways_of(what.substr(of_stage.size()));
  const auto* const found = std::ranges::find(table, what, &Words::what);
  if (found == std::end(table)) throw std::out_of_range("no words for " + std::string(what));
  return found->list();
}

}  // namespace jostle::analyses
