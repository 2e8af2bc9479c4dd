// What fuzz targets claim, and what they say if it does not hold.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "input/printable.hpp"
#include "input/problems.hpp"

namespace jostle::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

// Messages can be shown on a terminal as they are.
inline void require_printable(std::string_view text) {
  require(input::printable_lines(text) == text, "messages can be shown");
}

}  // namespace jostle::fuzz
