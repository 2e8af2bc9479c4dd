// Parses YAML text into a tree of values, within limits.
//
// It is stricter than YAML: one document; keys are scalars and unique; no tags; no recursion. An alias is
// allowed and counts as the value it refers to, so a "billion laughs" file stops at the limit.
#pragma once

#include <cstddef>
#include <string>

#include "input/value.hpp"

namespace jostle::input {

struct Limits {
  std::size_t bytes = 1 << 20;
  std::size_t values = 100'000;  // after expansion of aliases
  std::size_t depth = 64;
};

// The document in `text`, or null with the reason in `problems`. `origin` names the text in messages.
[[nodiscard]] Node parse_yaml(const std::string& text, const std::string& origin, Problems& problems,
                              const Limits& limits = {});

// The document in the file `path` (a regular file; anything else is a problem), or null.
[[nodiscard]] Node parse_yaml_file(const std::string& path, Problems& problems, const Limits& limits = {});

}  // namespace jostle::input
