#include "profiles/profile/like.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "input/file.hpp"
#include "input/packed.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"
#include "profiles/document_kind.hpp"
#include "profiles/embedded.hpp"
#include "profiles/profile/profile.hpp"

namespace jostle::profiles {
namespace {

using input::Kind;
using input::Node;
using input::Value;

constexpr const char* word = "like";

bool stands_for_itself(const Value& value) {
  return value.kind != Kind::mapping || value.find("from") || value.find("value");
}

Node counted(Value value) {
  value.expanded = 1;
  for (const Node& child : value.children) value.expanded += child->expanded;
  return std::make_shared<const Value>(std::move(value));
}

Node without(const Value& mapping, const std::string& key) {
  Value copy = mapping;
  for (std::size_t i = 0; i < copy.keys.size(); ++i) {
    if (copy.keys[i].name != key) continue;
    copy.keys.erase(copy.keys.begin() + static_cast<std::ptrdiff_t>(i));
    copy.children.erase(copy.children.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  return counted(std::move(copy));
}

// `own` merged over `other`.
Node merged(const Node& own, const Node& other) {
  if (stands_for_itself(*own) || other->kind != Kind::mapping) return own;
  Value result = *other;
  result.location = own->location;
  for (std::size_t i = 0; i < own->keys.size(); ++i) {
    const auto same = [&](const input::Key& key) { return key.name == own->keys[i].name; };
    const auto found = std::find_if(result.keys.begin(), result.keys.end(), same);
    if (found == result.keys.end()) {
      result.keys.push_back(own->keys[i]);
      result.children.push_back(own->children[i]);
    } else {
      Node& child = result.children[static_cast<std::size_t>(found - result.keys.begin())];
      child = merged(own->children[i], child);
    }
  }
  return counted(std::move(result));
}

constexpr int longest_chain = 8;  // files that are like each other

Node completed(const Node& file, const std::string& origin, input::Problems& problems, int depth = 0);

bool is_file(const Value& name) {
  return name.kind == Kind::scalar && name.text.ends_with(".yaml");
}

std::string beside(const std::string& origin, const Value& name) {
  return (std::filesystem::path(origin).parent_path() / name.text).string();
}

Node other_file(const Value& name, const std::string& origin, input::Problems& problems, int depth) {
  if (depth >= longest_chain) {
    problems.add(name.location, word, fmt::format("more than {} files are like each other", longest_chain));
    return nullptr;
  }
  const std::string path = beside(origin, name);
  const auto text = input::read_text_file(path, input::Limits{}.bytes, problems);
  return text ? completed(input::parse_yaml(*text, path, problems), path, problems, depth + 1) : nullptr;
}

Node other_document(const Value& name, input::Problems& problems) {
  if (name.kind == Kind::scalar && device_text(name.text))
    return shipped_document(name.text, name.text, problems);
  problems.add(name.location, word, fmt::format("unknown device '{}'", input::printable(name.text)),
               device_hint(name.text));
  return nullptr;
}

// The complete document of a file, merged with the profile that it is like.
Node completed(const Node& own, const std::string& origin, input::Problems& problems, int depth) {
  if (is_another_kind(own, origin, {DocumentKind::profile}, problems)) return nullptr;
  if (!own || own->kind != Kind::mapping) return own;
  const Node name = own->find(word);
  if (!name) return own;
  const Node other =
      is_file(*name) ? other_file(*name, origin, problems, depth) : other_document(*name, problems);
  return other ? merged(without(*own, word), other) : nullptr;
}

}  // namespace

input::Node profile_document(const std::string& text, const std::string& origin, input::Problems& problems) {
  return completed(input::parse_yaml(text, origin, problems), origin, problems);
}

std::string shipped_device_of(const std::string& name) {
  std::string file = name;
  for (int depth = 0; depth <= longest_chain && file.ends_with(".yaml"); ++depth) {
    input::Problems none;
    const auto text = input::read_text_file(file, input::Limits{}.bytes, none);
    const Node own = text ? input::parse_yaml(*text, file, none) : nullptr;
    const Node other = own && own->kind == Kind::mapping ? own->find(word) : nullptr;
    if (!other || other->kind != Kind::scalar) return {};
    file = is_file(*other) ? beside(file, *other) : other->text;
  }
  return file;
}

input::Node shipped_document(const std::string& device, const std::string& origin,
                             input::Problems& problems) {
  if (const auto packed = embedded_file(fmt::format("packed/{}", device)))
    return completed(input::unpacked(*packed, origin), origin, problems);
  return profile_document(device_text(device).value_or(""), origin, problems);
}

}  // namespace jostle::profiles
