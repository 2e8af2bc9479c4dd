// Decides whether a run was steady: which metrics still change, where they settle, and whether the warm-up
// was long enough.
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

// The run, and the series recorded during it.
struct Watched {
  const Run& run;
  Window window;
  const ThroughputSeries& throughput;
  const board::Dvfs* dvfs;          // null: the device's power is not modelled
  const std::optional<Heat>& heat;  // none: its temperature is not modelled
};

// Largest change of a metric that is called steady, as a share of the metric.
inline constexpr double steady_within = 0.02;

// Sets `stationary`, the warm-up and the warnings. Call after the metrics of processes and board are set.
// `processes` are those that are ok.
void add_steadiness(Result& result, const Watched& watched, const std::deque<process::Inference>& processes);

// The end of the first transient (MSER-5), in seconds from the start: the later of throughput's and power's.
// Absent if one of them does not settle. Temperature does not count, since it takes minutes.
[[nodiscard]] std::optional<double> found_warmup_s(const Watched& watched);

}  // namespace jostle::scenarios
