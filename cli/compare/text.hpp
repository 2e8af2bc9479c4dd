// The comparison of two scenarios as text and as JSON.
#pragma once

#include <string>

#include "analyses/compare/compare.hpp"

namespace jostle::cli {

// The names of the two sides, from the command line.
struct ComparedNames {
  std::string a, b;
};

// Lines of at most `width` columns if no word is longer (60 is always enough).
[[nodiscard]] std::string comparison_text(const analyses::Compared& compared, const ComparedNames& names,
                                          int width, bool colour);

// {"schema":"jostle.compare/1",...} without a newline; keys: docs/explain.md.
[[nodiscard]] std::string comparison_json(const analyses::Compared& compared, const ComparedNames& names);

}  // namespace jostle::cli
