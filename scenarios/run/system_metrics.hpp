// Metrics of the board in a result: activity of its parts, co-runners, link.
#pragma once

#include "models/board/board.hpp"
#include "models/link/link.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Adds the metrics of the board. Call after the metrics of the processes are set. `clocks`: the clocks
// at the beginning of the run.
void add_system(Result& result, board::Board& board, const board::Clocks& clocks);

// Adds the SMs' own clock while the GPU is busy, if the profile knows how tensor work lowers it. Call last.
void add_effective_clock(GpuResult& result, const gpu::Spec& gpu);

// Adds the traffic and the core time of the co-runners over `seconds`.
void add_loads(Result& result, const board::Board& board, double seconds);

// Adds the metrics of the link. `elapsed` is the length of the run in seconds; `load` is load_of_link().
void add_link(SystemResult& system, const link::Link& link, double elapsed, double load);

}  // namespace jostle::scenarios
