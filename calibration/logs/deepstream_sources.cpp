#include "calibration/logs/deepstream_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>

#include "calibration/logs/log_text.hpp"
#include "input/file.hpp"

namespace jostle::calibration {
namespace {

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
