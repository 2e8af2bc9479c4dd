// Contains the only use of TBB's loops; call scenarios/run/parallel.hpp instead.
#pragma once

#include <cstddef>
#include <functional>

namespace jostle::scenarios {

// Calls `work` with 0, 1, ... count - 1 from `threads` threads, like parallel_for.
//
// This is in a file of its own because it is never compiled with ThreadSanitizer (CMakeLists.txt). Debian's
// oneTBB package is not compiled with it either, and the sanitizer would see only one half of the state that
// TBB's headers share with the library.
void parallel_backend(std::size_t count, const std::function<void(std::size_t)>& work, unsigned threads);

}  // namespace jostle::scenarios
