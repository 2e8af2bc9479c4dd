// Quotients of sums of a run.
#pragma once

#include <algorithm>

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

// The processes whose work the board's total counts: images and sequences are never added.

// True of every process that fits, except language models beside networks: then the total is of images alone.
[[nodiscard]] inline bool in_total(const Result& result, const ProcessResult& process) {
  const auto counts_images = [](const ProcessResult& one) {
    return one.status == "ok" && one.throughput.unit == "images/s";
  };
  if (process.status != "ok") return false;
  return counts_images(process) || std::ranges::none_of(result.processes, counts_images);
}

}  // namespace jostle::scenarios
