// Independent pieces of work, side by side on all cores.
#pragma once

#include <cstddef>
#include <functional>

namespace jostle::scenarios {

// Calls `work` with 0, 1, ... count - 1, each once, in no order, from `threads` threads (0: as many as there
// are cores). Waits for all; rethrows one of what they threw, after which few further pieces are begun.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& work, unsigned threads = 0);

}  // namespace jostle::scenarios
