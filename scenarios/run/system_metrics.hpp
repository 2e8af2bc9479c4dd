// What the parts of the board did, as metrics of the result.
#pragma once

#include "models/board/board.hpp"
#include "models/link/link.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// After the metrics of the processes. `clocks`: those at which the run began.
void add_system(Result& result, board::Board& board, const board::Clocks& clocks);

// What the co-runners moved and held in `seconds`.
void add_loads(Result& result, const board::Board& board, double seconds);

// `elapsed`: seconds of the run; `load`: load_of_link().
void add_link(SystemResult& system, const link::Link& link, double elapsed, double load);

}  // namespace jostle::scenarios
