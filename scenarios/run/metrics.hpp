// The activity of processes and of the board, as metrics of the result.
#pragma once

#include <optional>
#include <vector>

#include "models/board/board.hpp"
#include "models/link/link.hpp"
#include "models/process/inference.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/stability.hpp"

namespace jostle::scenarios {

// Adds the metrics of a process. `loads` are the loads of its parts (open_loads()); `every_percentile` is as
// in RunControl.
void add_process(ProcessResult& result, process::Inference& process, const Window& window,
                 const std::vector<std::optional<OpenLoad>>& loads, bool every_percentile);

// Adds the metrics of language models that need the whole result: tokens per second and per joule, over
// `seconds`, and memory held.
void add_tokens(Result& result, double seconds);

// Moves the time lost to a limited clock (`throttled_s`) out of the time in which kernels were bound by
// arithmetic.
void add_throttled(ProcessResult& result, const gpu::Running& running, double throttled_s);

// Adds the metrics of the board. Call after the metrics of the processes are set. `clocks`: the clocks
// at the beginning of the run.
void add_system(Result& result, board::Board& board, const board::Clocks& clocks);

// Adds the SMs' own clock while the GPU is busy, if the profile knows how tensor work lowers it. Call last.
void add_effective_clock(GpuResult& result, const gpu::Spec& gpu);

// Adds the traffic and the core time of the co-runners over `seconds`.
void add_loads(Result& result, const board::Board& board, double seconds);

// Adds the metrics of the link. `elapsed` is the length of the run in seconds; `load` is load_of_link().
void add_link(SystemResult& system, const link::Link& link, double elapsed, double load);

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
