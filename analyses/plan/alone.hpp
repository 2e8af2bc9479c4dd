// The effects of single dimensions of a search around the best point.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "analyses/plan/criteria.hpp"
#include "analyses/plan/space.hpp"

namespace jostle::analyses {

// The point that differs from the best one in one dimension only, and that is worst in the first objective.
struct AloneEffect {
  std::size_t point = 0;  // candidate
  double value = 0;       // its value of the first objective
  double change = 0;      // relative to the best, positive
};

// One effect for each dimension in which some evaluated point is worse by more than `zone`, the greatest
// change first. `values`: the first objective of each evaluated point, the best one's among them; `objective`
// tells in which direction it is better.
[[nodiscard]] std::vector<AloneEffect> effects_alone(const SearchSpace& space, const Criterion& objective,
                                                     const std::map<std::size_t, double>& values,
                                                     std::size_t best, double zone);

}  // namespace jostle::analyses
