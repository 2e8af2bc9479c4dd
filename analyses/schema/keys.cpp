// The keys that a schema allows at a path, and the values that they take: for completion, and to compare the
// schema with the loader.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analyses/schema/schema.hpp"
#include "output/json.hpp"

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

}  // namespace jostle::analyses
