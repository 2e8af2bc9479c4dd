// Comparisons for people, and for programs.
#pragma once

#include <string>

#include "analyses/compare/compare.hpp"

namespace jostle::cli {

// What the two are called, as on the command line.
struct ComparedNames {
  std::string a, b;
};

// Lines of at most `width` columns where the words allow it (60 always do).
[[nodiscard]] std::string comparison_text(const analyses::Compared& compared, const ComparedNames& names,
                                          int width, bool colour);

// {"schema":"jostle.compare/1",...} without a newline; keys: docs/explain.md.
[[nodiscard]] std::string comparison_json(const analyses::Compared& compared, const ComparedNames& names);

}  // namespace jostle::cli
