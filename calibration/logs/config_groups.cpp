#include "calibration/logs/config_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <sstream>

#include "input/file.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t largest_config = 1 << 20;

std::string trimmed_config(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class GroupReader {
 public:
  GroupReader(const std::string& origin, input::Problems& problems)
      : origin_(std::make_shared<const std::string>(origin)), problems_(problems) {
    groups_.origin = origin;
  }

  void group(const std::string& name, int line) {
    if (name.empty()) return problem(line, "", "a group without a name");
    if (groups_.find(name) != nullptr) problem(line, name, "the group stands twice", "keep one of the two");
    groups_.groups.push_back({.name = name, .line = line, .entries = {}, .asked = {}});
  }

  void entry(const std::string& key, const std::string& value, int line) {
    if (groups_.groups.empty()) return problem(line, key, "a key before the first group", "[application]");
    ConfigGroup& group = groups_.groups.back();
    if (key.empty()) return problem(line, group.name, "a value without a key");
    if (group.has(key)) problem(line, group.name + "." + key, "the key stands twice", "keep one of the two");
    group.entries.push_back({key, value, line});
  }

  void problem(int line, const std::string& path, const std::string& message, const std::string& hint = {}) {
    good_ = false;
    problems_.add({origin_, line, 1}, path, message, hint);
  }

  [[nodiscard]] std::optional<ConfigGroups> done() {
    return good_ ? std::optional(std::move(groups_)) : std::nullopt;
  }

 private:
  std::shared_ptr<const std::string> origin_;
  input::Problems& problems_;
  ConfigGroups groups_;
  bool good_ = true;
};

std::optional<ConfigGroups> groups_of_yaml(const std::string& path, input::Problems& problems) {
  const input::Node root = input::parse_yaml_file(path, problems);
  if (!root) return std::nullopt;
  GroupReader reader(path, problems);
  if (root->kind != input::Kind::mapping) {
    reader.problem(0, "", "expected groups: a mapping");
    return std::nullopt;
  }
  for (std::size_t i = 0; i < root->keys.size(); ++i) {
    const input::Value& group = *root->children[i];
    const std::string& name = root->keys[i].name;
    reader.group(name, group.location.line);
    if (group.kind != input::Kind::mapping) {
      if (group.kind != input::Kind::nothing)
        reader.problem(group.location.line, name, "expected keys: a mapping");
      continue;
    }
    for (std::size_t j = 0; j < group.keys.size(); ++j)
      if (const input::Value& value = *group.children[j]; value.kind == input::Kind::scalar)
        reader.entry(group.keys[j].name, value.text, value.location.line);
  }
  return reader.done();
}

}  // namespace

bool ConfigGroup::has(const std::string& key) const {
  return std::ranges::find(entries, key, &ConfigEntry::key) != entries.end();
}

const ConfigEntry* ConfigGroup::find(const std::string& key) const {
  if (std::ranges::find(asked, key) == asked.end()) asked.push_back(key);
  const auto found = std::ranges::find(entries, key, &ConfigEntry::key);
  return found == entries.end() ? nullptr : &*found;
}

std::string ConfigGroup::text(const std::string& key) const {
  const ConfigEntry* const entry = find(key);
  return entry == nullptr ? std::string() : entry->value;
}

const ConfigGroup* ConfigGroups::find(const std::string& name) const {
  const auto found = std::ranges::find(groups, name, &ConfigGroup::name);
  return found == groups.end() ? nullptr : &*found;
}

std::optional<ConfigGroups> parse_config_groups(const std::string& text, const std::string& origin,
                                                input::Problems& problems) {
  GroupReader reader(origin, problems);
  std::istringstream lines(text);
  int number = 0;
  for (std::string raw; std::getline(lines, raw);) {
    ++number;
    const std::string line = trimmed_config(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    const std::size_t equals = line.find('=');
    if (line.front() == '[' && line.back() == ']')
      reader.group(trimmed_config(line.substr(1, line.size() - 2)), number);
    else if (equals == std::string::npos)
      reader.problem(
          number, "",
          fmt::format("'{}' is neither a group nor a key with a value", input::printable(line, 60)),
          "[group], key=value, or # before a comment");
    else
      reader.entry(trimmed_config(line.substr(0, equals)), trimmed_config(line.substr(equals + 1)), number);
  }
  if (number == 0) reader.problem(0, "", "the file is empty");
  return reader.done();
}

std::optional<ConfigGroups> read_config_groups(const std::string& path, input::Problems& problems) {
  if (path.ends_with(".yml") || path.ends_with(".yaml")) return groups_of_yaml(path, problems);
  const auto text = input::read_text_file(path, largest_config, problems);
  return text ? parse_config_groups(*text, path, problems) : std::nullopt;
}

void check_spelling(const ConfigGroups& groups, input::Problems& problems) {
  for (const ConfigGroup& group : groups.groups) {
    std::vector<std::string> absent = group.asked;
    std::erase_if(absent, [&](const std::string& key) { return group.has(key); });
    for (const ConfigEntry& entry : group.entries) {
      if (std::ranges::find(group.asked, entry.key) != group.asked.end()) continue;
      const auto meant = std::ranges::find_if(absent, [&](const std::string& key) {
        return input::edit_distance(key, entry.key) <= std::min<std::size_t>(2, key.size() / 4);
      });
      if (meant == absent.end()) continue;
      problems.add({std::make_shared<const std::string>(groups.origin), entry.line, 1},
                   group.name + "." + input::printable(entry.key, 60), "unknown key",
                   fmt::format("did you mean '{}'? Otherwise put # before the line", *meant));
    }
  }
}

std::int64_t whole_number(const ConfigGroups& of, const ConfigGroup& group, const WholeKey& wanted,
                          input::Problems& problems) {
  const auto& [key, other, range] = wanted;
  const ConfigEntry* const entry = group.find(key);
  if (entry == nullptr) return other;
  std::int64_t value = 0;
  const char* const end = entry->value.data() + entry->value.size();
  const auto [read, error] = std::from_chars(entry->value.data(), end, value);
  if (error == std::errc() && read == end && value >= range.least && value <= range.most) return value;
  problems.add({std::make_shared<const std::string>(of.origin), entry->line, 1}, group.name + "." + key,
               fmt::format("'{}' is not a whole number from {} to {}", input::printable(entry->value, 60),
                           range.least, range.most));
  return other;
}

}  // namespace jostle::calibration
