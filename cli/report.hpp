// A result for people: each process with its interval, the totals, and where the time went.
#pragma once

#include <string>

#include "scenarios/result.hpp"

namespace jostle::cli {

// Lines of at most `width` columns where the words allow it (60 always do).
[[nodiscard]] std::string report(const scenarios::Result& result, int width, bool colour);

}  // namespace jostle::cli
