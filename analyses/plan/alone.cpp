// The effects of single dimensions of a search around the best point.
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "analyses/plan/search.hpp"

namespace jostle::analyses {

std::optional<std::size_t> only_difference(const Coordinates& one, const Coordinates& other) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] == other[i]) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

std::vector<AloneEffect> effects_alone(const SearchSpace& space, const Criterion& objective,
                                       const std::map<std::size_t, double>& values, std::size_t best,
                                       double zone) {
  const double of_best = values.at(best);
  if (of_best == 0) return {};
  std::vector<AloneEffect> worst(space.dimensions().size());
  for (const auto& [point, value] : values) {
    const auto dimension = only_difference(space[best], space[point]);
    if (!dimension) continue;
    const double change = (objective.maximise ? -1 : 1) * (value - of_best) / std::abs(of_best);
    if (change > worst[*dimension].change) worst[*dimension] = {point, value, change};
  }
  std::erase_if(worst, [&](const AloneEffect& effect) { return effect.change <= zone; });
  std::ranges::stable_sort(worst, std::greater{}, &AloneEffect::change);
  return worst;
}

}  // namespace jostle::analyses
