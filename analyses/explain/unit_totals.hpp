// Totals of what a board serves, by unit: images and tokens are never added.
#pragma once

#include <string_view>
#include <vector>

#include "scenarios/result/result.hpp"

namespace jostle::analyses {

struct UnitTotal {
  std::string_view unit;    // "images", "tokens"
  scenarios::Metric per_s;  // absent if one of the processes has none
};

// Images of networks, and decoded tokens of language models, over all results; a unit that no process has is
// left out.
[[nodiscard]] std::vector<UnitTotal> totals_of(const std::vector<scenarios::Result>& results);

}  // namespace jostle::analyses
