// Parameters as text of a profile, each at its path.
#pragma once

#include <string>
#include <vector>

namespace jostle::calibration {

struct ProfileLeaf {
  std::string path;  // "cpu.costs.context_switch"
  std::string yaml;  // "{value: 2.4 us, grade: measured, source: \"…\"}", or another value on one line
};

// `text` in double quotes, as YAML reads it.
[[nodiscard]] std::string yaml_quoted(const std::string& text);

// A value with its grade and source.
[[nodiscard]] std::string graded_yaml(const std::string& value, const std::string& grade,
                                      const std::string& source);

// The leaves as nested mappings, two spaces a level. A later leaf of the same path replaces the earlier one.
// A leaf {} with others inside it begins a mapping anew.
[[nodiscard]] std::string leaves_text(const std::vector<ProfileLeaf>& leaves);

}  // namespace jostle::calibration
