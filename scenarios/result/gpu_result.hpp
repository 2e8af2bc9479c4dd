// What the GPU's array did, as figures of the result; and a run that is sampled in windows.
#pragma once

#include <optional>

#include "models/board/gpu_windows.hpp"
#include "scenarios/result/result.hpp"
#include "sim/engine.hpp"

namespace jostle::scenarios {

// Means over `elapsed` seconds; absent where that is none.
[[nodiscard]] SmArray sm_array(const gpu::Usage& used, double elapsed);

// Lets the engine run until `time`, and takes the samples that are due on the way, if there are windows.
sim::RunEnd run_until(sim::Engine& engine, sim::Time time, std::optional<board::GpuWindows>& windows);

// Puts the distributions into the result: of the board, and of the processes that ran (those whose status is
// ok, in the order of the board's).
void add_windows(Result& result, const board::GpuWindows& windows);

}  // namespace jostle::scenarios
