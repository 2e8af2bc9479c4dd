// Quotients of sums of a run.
#pragma once

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Undefined where there is nothing to divide by.
[[nodiscard]] inline Metric ratio(double value, double by) {
  return by > 0 ? Metric(value / by) : std::nullopt;
}

}  // namespace jostle::scenarios
