// Quotients of sums of a run.
#pragma once

#include <algorithm>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// The quotient; absent if the divisor is not positive.
[[nodiscard]] inline Metric ratio(double value, double by) {
  return by > 0 ? Metric(value / by) : std::nullopt;
}

// Cuts a throughput interval at the offered rate, since no more can be served for long; but not below the
// mean.
inline void end_at_offered(Throughput& throughput, const Metric& offered) {
  if (throughput.ci95 && throughput.mean && offered)
    throughput.ci95->second = std::min(throughput.ci95->second, std::max(*offered, *throughput.mean));
}

}  // namespace jostle::scenarios
