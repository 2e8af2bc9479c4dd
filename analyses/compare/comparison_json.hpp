// The comparison of two scenarios as one JSON object.
#pragma once

#include <string>

#include "analyses/compare/compare.hpp"

namespace jostle::analyses {

// The names of the two sides, as the user gave them.
struct ComparedNames {
  std::string a, b;
};

// {"schema":"jostle.compare/1",...} without a newline; keys: docs/explain.md.
[[nodiscard]] std::string comparison_json(const Compared& compared, const ComparedNames& names);

}  // namespace jostle::analyses
