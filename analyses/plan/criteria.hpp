// What is wanted of points, and which of them are best at it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace jostle::analyses {

// What a figure is wanted to be: as great or as little as can be, or within a limit.
struct Criterion {
  bool maximise = true;
  std::optional<double> limit;  // at least (maximise) or at most that; none: an objective
};

// What a point showed: a value for each criterion; none where it has no figures.
using Evaluation = std::optional<std::vector<double>>;

// Whether it keeps all limits.
[[nodiscard]] bool keeps_limits(const std::vector<Criterion>& criteria, const std::vector<double>& values);

// Which of the values is better in objectives: the first decides; where both are within `tie` of the best of
// those, the next does.
inline constexpr double tie = 0.01;
[[nodiscard]] std::optional<std::size_t> best_of(const std::vector<Criterion>& criteria,
                                                 const std::vector<Evaluation>& seen);

// Those that keep the limits and that no other one equals or betters in every objective; of equals the first.
// In the order of the first objective, best first.
[[nodiscard]] std::vector<std::size_t> front_of(const std::vector<Criterion>& criteria,
                                                const std::vector<Evaluation>& seen);

// How many of the criteria are objectives.
[[nodiscard]] std::size_t objectives(const std::vector<Criterion>& criteria);

}  // namespace jostle::analyses
