// What a process did, as metrics of the result.
#pragma once

#include <optional>
#include <vector>

#include "models/process/inference.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/stability.hpp"

namespace jostle::scenarios {

// `loads`: of its requests, by part (open_loads()). `every_percentile`: as RunControl says.
void add_process(ProcessResult& result, process::Inference& process, const Window& window,
                 const std::vector<std::optional<OpenLoad>>& loads, bool every_percentile);

// The time lost because a controller limited the clock, out of the time that kernels were bound by
// arithmetic.
// Of language models what else their tokens cost: memory, and energy over `seconds`.
void add_tokens(Result& result, double seconds);

void add_throttled(ProcessResult& result, const gpu::Running& running, double throttled_s);

}  // namespace jostle::scenarios
