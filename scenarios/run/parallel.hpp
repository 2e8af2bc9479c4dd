// Runs independent work items in parallel on all cores.
#pragma once

#include <cstddef>
#include <functional>

namespace jostle::scenarios {

// Calls `work` once with each of 0, 1, ... count - 1, started in this order, from `threads` threads (0: one
// per core). Waits for all of them. Rethrows one of the exceptions; after an exception few further items are
// started. An interruption of the caller's work also ends theirs (input/interruption.hpp).
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work, unsigned threads = 0);

}  // namespace jostle::scenarios
