// The Pareto front of points whose values are known to within their noise.
#pragma once

#include <cstddef>
#include <vector>

#include "analyses/plan/goal.hpp"
#include "analyses/plan/samples.hpp"

namespace jostle::analyses {

// A point that meets the limits.
struct FrontPoint {
  std::size_t point = 0;
  std::vector<double> values;        // of the criteria
  const Samples* samples = nullptr;  // null: the values are exact
};

// The points that no other one dominates: is no worse in any objective, but for noise, and in one better by
// more than the zone of indifference. Of those that differ by no more than the zone or noise in every
// objective, the best in the first. Sorted by the first objective, best first.
[[nodiscard]] std::vector<FrontPoint> front_beyond_noise(const Goal& goal, std::vector<FrontPoint> points);

}  // namespace jostle::analyses
