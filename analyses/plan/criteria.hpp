// Objectives and limits of an optimisation, and the selection of the best points by them.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace jostle::analyses {

// An objective (maximise or minimise a metric) or a limit on a metric.
struct Criterion {
  bool maximise = true;
  std::optional<double> limit;  // lower bound if `maximise`, else upper bound; none: an objective
};

// The simulated values of a point, one per criterion; none if the point has no result.
using Evaluation = std::optional<std::vector<double>>;

// Returns whether the values meet all limits.
[[nodiscard]] bool meets_limits(const std::vector<Criterion>& criteria, const std::vector<double>& values);

// The relative amount by which a value misses the limit of the criterion; 0 or less if it meets the limit.
[[nodiscard]] double violation(const Criterion& criterion, double value);

// The best evaluation that meets the limits, by lexicographic order of the objectives: values within
// `indifference` (relative) of the best count as equal, and the next objective decides.
inline constexpr double tie = 0.01;
[[nodiscard]] std::optional<std::size_t> best_of(const std::vector<Criterion>& criteria,
                                                 const std::vector<Evaluation>& evaluations,
                                                 double indifference = tie);

// The Pareto front: evaluations that meet the limits and are not dominated (of equal ones the first). Sorted
// by the first objective, best first.
[[nodiscard]] std::vector<std::size_t> front_of(const std::vector<Criterion>& criteria,
                                                const std::vector<Evaluation>& evaluations);

// The number of criteria that are objectives.
[[nodiscard]] std::size_t objectives(const std::vector<Criterion>& criteria);

}  // namespace jostle::analyses
