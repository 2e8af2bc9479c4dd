// The latencies of a process as metrics of the result, with their confidence.
#pragma once

#include "models/process/inference.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/stability.hpp"

namespace jostle::scenarios {

// Numbers of requests, or queries, without a latency.
struct Unserved {
  std::int64_t waiting = 0, dropped = 0;
};

// Statistics of times measured in `window`. Tail percentiles for which the run is too short are absent,
// unless `every_percentile` is set.
[[nodiscard]] Times times_of(const sim::Observations& seconds, const Window& window, bool every_percentile);

// Statistics of the latencies of served requests.
[[nodiscard]] Latency latency_of(const process::Served& served, const Unserved& unserved,
                                 const Window& window, bool every_percentile);

}  // namespace jostle::scenarios
