// Intervals of power relative to its mean, so that they hold around another mean of the same board.
#pragma once

#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// The interval around another mean of the same board, in W; none if either is.
[[nodiscard]] scenarios::Interval power_interval(const scenarios::Interval& relative,
                                                 const scenarios::Metric& mean_w);

// The interval of a result relative to its mean power; none if either is.
[[nodiscard]] scenarios::Interval relative_power_interval(const scenarios::Result& result);

}  // namespace jostle::analyses
