// Quotients of sums of a run.
#pragma once

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// The quotient; absent if the divisor is not positive.
[[nodiscard]] inline Metric ratio(double value, double by) {
  return by > 0 ? Metric(value / by) : std::nullopt;
}

// Forgets the mean and the percentiles of the latency, and of the time to the first token, of an overloaded
// process or instance: they grow for as long as the run lasts. The counts stay.
template <class R>
void forget_growing_latency(R& result) {
  Latency latency;
  latency.samples = result.latency_ms.samples;
  latency.unfinished = result.latency_ms.unfinished;
  result.latency_ms = latency;
  if (!result.tokens) return;
  Times first;
  first.samples = result.tokens->ttft_ms.samples;
  result.tokens->ttft_ms = first;
}

}  // namespace jostle::scenarios
