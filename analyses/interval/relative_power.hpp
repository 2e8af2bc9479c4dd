// Intervals of power and of tokens relative to their means, so that they hold around other means of the same
// board.
#pragma once

#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// The interval around another mean of the same board; none if either is.
[[nodiscard]] scenarios::Interval interval_of_mean(const scenarios::Interval& relative,
                                                   const scenarios::Metric& mean);

// The interval relative to its mean; none if either is.
[[nodiscard]] scenarios::Interval relative_interval(const scenarios::Interval& pi90,
                                                    const scenarios::Metric& mean);

// The interval of a result's power relative to its mean; none if either is, or the mean is not positive.
[[nodiscard]] scenarios::Interval relative_power_interval(const scenarios::Result& result);

}  // namespace jostle::analyses
