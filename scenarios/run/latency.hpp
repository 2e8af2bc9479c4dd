// The latencies of a process as metrics of the result, and how far they can be trusted.
#pragma once

#include "models/process/inference.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/stability.hpp"

namespace jostle::scenarios {

// Requests without a latency.
struct Unserved {
  std::int64_t waiting = 0, dropped = 0;
};

// Metrics of times that were measured in `window`. A percentile of the tail that the run is too short for is
// absent, unless `every_percentile` is asked for.
[[nodiscard]] Times times_of(const sim::Observations& seconds, const Window& window, bool every_percentile);

// Metrics of the latencies of what was served.
[[nodiscard]] Latency latency_of(const process::Served& served, const Unserved& unserved,
                                 const Window& window, bool every_percentile);

}  // namespace jostle::scenarios
