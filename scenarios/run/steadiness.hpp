// Whether a run was steady: what its figures still follow, where they settle, and whether its warm-up was
// long enough.
#pragma once

#include <deque>
#include <optional>

#include "models/board/dvfs.hpp"
#include "models/process/inference.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/heat.hpp"
#include "scenarios/run/stability.hpp"
#include "scenarios/run/throughput_series.hpp"

namespace jostle::scenarios {

// What is watched during a run.
struct Watched {
  const Run& run;
  Window window;
  const ThroughputSeries& throughput;
  const board::Dvfs* dvfs;          // null: the device's power is not known
  const std::optional<Heat>& heat;  // none: nor is its temperature
};

// By how much a figure may still move and be called steady, as a share of it.
inline constexpr double steady_within = 0.02;

// Sets `stationary`, the warm-up and the warnings. After the metrics of processes and board; `processes`:
// those that are ok.
void add_steadiness(Result& result, const Watched& watched, const std::deque<process::Inference>& processes);

// Of throughput and power, the longer: the end of the first transient (MSER-5), in seconds from the start;
// none where one of them does not settle. Temperature does not count: heat takes minutes.
[[nodiscard]] std::optional<double> found_warmup_s(const Watched& watched);

}  // namespace jostle::scenarios
