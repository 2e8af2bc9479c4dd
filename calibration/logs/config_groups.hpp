// Key files of GLib, as deepstream-app and nvinfer read them: groups in brackets, a key and its value a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input/problems.hpp"

namespace jostle::calibration {

struct ConfigEntry {
  std::string key, value;
  int line = 0;
};

struct ConfigGroup {
  std::string name;
  int line = 0;
  std::vector<ConfigEntry> entries;
  mutable std::vector<std::string> asked;  // the keys that find() and text() were asked for

  [[nodiscard]] bool has(const std::string& key) const;  // not recorded in `asked`
  [[nodiscard]] const ConfigEntry* find(const std::string& key) const;
  [[nodiscard]] std::string text(const std::string& key) const;  // empty if it is absent
};

struct ConfigGroups {
  std::string origin;
  std::vector<ConfigGroup> groups;

  [[nodiscard]] const ConfigGroup* find(const std::string& name) const;
};

// The groups of a text. Absent if problems were added: a line that is neither, or a name that stands twice.
[[nodiscard]] std::optional<ConfigGroups> parse_config_groups(const std::string& text,
                                                              const std::string& origin,
                                                              input::Problems& problems);
// The groups of a file; of a mapping of mappings if its name ends in .yml or .yaml.
[[nodiscard]] std::optional<ConfigGroups> read_config_groups(const std::string& path,
                                                             input::Problems& problems);

// Adds a problem for each key that was not asked for and is spelt nearly like one that was, and is absent.
// Other keys are left alone: the program that the file is for has many more.
void check_spelling(const ConfigGroups& groups, input::Problems& problems);

struct WholeRange {
  std::int64_t least = 0, most = 1'000'000'000;
};
// The whole number under `key`, or `other` if it is absent. A value that is none, or out of range, is a
// problem.
struct WholeKey {
  std::string key;
  std::int64_t other = 0;
  WholeRange range;
};
[[nodiscard]] std::int64_t whole_number(const ConfigGroups& of, const ConfigGroup& group,
                                        const WholeKey& wanted, input::Problems& problems);

// Sources of deepstream-app that stand in a list instead of a group each.
inline constexpr std::int64_t most_sources = 1024;

// Adds a group [sourceN] for each source that stands in a list: `list` of [source-list], with the keys of
// [source-attr-all], and the lines of the file that `csv-file-path` of `source` names, whose first line names
// the keys.
void expand_source_lists(ConfigGroups& app, input::Problems& problems);

}  // namespace jostle::calibration
