// Quotients of sums of a run.
#pragma once

#include <algorithm>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Undefined where there is nothing to divide by.
[[nodiscard]] inline Metric ratio(double value, double by) {
  return by > 0 ? Metric(value / by) : std::nullopt;
}

// No more than is offered can be served for long: the interval of a throughput goes no further, unless its
// mean does.
inline void end_at_offered(Throughput& throughput, const Metric& offered) {
  if (throughput.ci95 && throughput.mean && offered)
    throughput.ci95->second = std::min(throughput.ci95->second, std::max(*offered, *throughput.mean));
}

}  // namespace jostle::scenarios
