#include "calibration/logs/config_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <sstream>

#include "calibration/logs/log_text.hpp"
#include "input/file.hpp"
#include "input/parse.hpp"
#include "input/printable.hpp"
#include "input/spelling.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t largest_config = 1 << 20;

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

constexpr std::size_t largest_csv = 1 << 20;

using Entries = std::vector<ConfigEntry>;

std::vector<std::string> parts_of(const std::string& text, char between) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, between);) parts.emplace_back(trimmed(part));
  return parts;
}

// A source for each address of the list.
std::vector<Entries> listed(const ConfigGroups& app, const ConfigGroup& list, input::Problems& problems) {
  Entries common;
  if (const ConfigGroup* const all = app.find("source-attr-all")) common = all->entries;
  std::erase_if(common, [](const ConfigEntry& entry) { return entry.key == "uri"; });
  if (std::ranges::find(common, "enable", &ConfigEntry::key) == common.end())
    common.push_back({"enable", "1", list.line});
  std::vector<Entries> sources;
  for (const std::string& uri : parts_of(list.text("list"), ';')) {
    if (uri.empty() || sources.size() > most_sources) continue;
    sources.push_back(common);
    sources.back().push_back({"uri", uri, list.line});
  }
  if (sources.empty())
    problems.add({std::make_shared<const std::string>(app.origin), list.line, 1}, "source-list.list",
                 "no source is listed: those that the program is told of later are not in the file",
                 "list=rtsp://…;rtsp://…");
  return sources;
}

// A source for each line of the CSV file.
std::vector<Entries> of_file(const ConfigGroups& app, const ConfigGroup& group, input::Problems& problems) {
  const std::string file = group.text("csv-file-path");
  if (file.empty()) {
    problems.add({std::make_shared<const std::string>(app.origin), group.line, 1}, "source.csv-file-path",
                 "missing required key", "a file with a source a line; or groups source0, source1, ...");
    return {};
  }
  const std::string path = (std::filesystem::path(app.origin).parent_path() / file).string();
  const auto text = input::read_text_file(path, largest_csv, problems);
  if (!text) return {};
  std::vector<Entries> sources;
  std::vector<std::string> keys;
  int number = 0;
  for (const std::string& line : parts_of(*text, '\n')) {
    ++number;
    if (line.empty() || sources.size() > most_sources) continue;
    const std::vector<std::string> values = parts_of(line, ',');
    if (keys.empty()) {
      keys = values;
      continue;
    }
    Entries& source = sources.emplace_back();
    for (std::size_t i = 0; i < std::min(keys.size(), values.size()); ++i)
      if (!values[i].empty()) source.push_back({keys[i], values[i], number});
    if (values.size() != keys.size())
      problems.add({std::make_shared<const std::string>(path), number, 1}, {},
                   fmt::format("{} values for {} keys", values.size(), keys.size()));
  }
  return sources;
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
    const std::string_view line = trimmed(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    const std::size_t equals = line.find('=');
    if (line.front() == '[' && line.back() == ']')
      reader.group(std::string(trimmed(line.substr(1, line.size() - 2))), number);
    else if (equals == std::string::npos)
      reader.problem(number, "",
                     fmt::format("'{}' is neither a group nor a key with a value",
                                 input::printable(std::string(line), 60)),
                     "[group], key=value, or # before a comment");
    else
      reader.entry(std::string(trimmed(line.substr(0, equals))),
                   std::string(trimmed(line.substr(equals + 1))), number);
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

void expand_source_lists(ConfigGroups& app, input::Problems& problems) {
  std::vector<Entries> sources;
  if (const ConfigGroup* const list = app.find("source-list")) sources = listed(app, *list, problems);
  if (const ConfigGroup* const group = app.find("source"))
    for (Entries& source : of_file(app, *group, problems)) sources.push_back(std::move(source));
  int number = 0;
  for (Entries& source : sources) {
    while (app.find(fmt::format("source{}", number)) != nullptr) ++number;
    const int line = source.empty() ? 0 : source.front().line;
    app.groups.push_back(
        {.name = fmt::format("source{}", number), .line = line, .entries = std::move(source), .asked = {}});
  }
}

}  // namespace jostle::calibration
