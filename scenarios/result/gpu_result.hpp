// GPU activity as metrics of the result; and a run of the engine with sampling in windows.
#pragma once

#include <optional>

#include "models/board/gpu_windows.hpp"
#include "scenarios/result/result.hpp"
#include "sim/engine.hpp"

namespace jostle::scenarios {

// Means over `elapsed` seconds; all absent if that is zero.
[[nodiscard]] SmArray sm_array(const gpu::Usage& used, double elapsed);

// Runs the engine until `time`. If there are windows, takes the samples that are due before it.
sim::RunEnd run_until(sim::Engine& engine, sim::Time time, std::optional<board::GpuWindows>& windows);

// Adds the distributions to the result, for the board and for the processes that ran (those whose status is
// ok, in the order of the board's processes).
void add_windows(Result& result, const board::GpuWindows& windows);

}  // namespace jostle::scenarios
