// The Pareto front of points whose values have known noise.
#pragma once

#include <cstddef>
#include <vector>

#include "analyses/plan/goal.hpp"
#include "analyses/plan/samples.hpp"

namespace jostle::analyses {

// A point that meets the limits.
struct FrontPoint {
  std::size_t point = 0;
  std::vector<double> values;        // one per criterion
  const Samples* samples = nullptr;  // null: the values are exact
};

// The points that no other point dominates. A dominating point is worse in no objective beyond noise, and in
// one objective better by more than noise and the zone of indifference. If points differ by no more than the
// zone or noise in every objective, the front has the one that is best in the first. Sorted by the first
// objective, best first.
[[nodiscard]] std::vector<FrontPoint> front_beyond_noise(const Goal& goal, std::vector<FrontPoint> points);

}  // namespace jostle::analyses
