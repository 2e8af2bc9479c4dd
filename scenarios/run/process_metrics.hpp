// The activity of a process, as metrics of the result.
#pragma once

#include <optional>
#include <vector>

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

}  // namespace jostle::scenarios
