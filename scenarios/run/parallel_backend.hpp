// The one door to TBB's loops: use scenarios/run/parallel.hpp.
#pragma once

#include <cstddef>
#include <functional>

namespace jostle::scenarios {

// Calls `work` with 0, 1, ... count - 1 from `threads` threads, as parallel_for does.
//
// In a file of its own because it is never compiled with ThreadSanitizer (CMakeLists.txt): as a Debian
// package oneTBB is not, and of what its headers share with its library the sanitizer would see only one
// half.
void parallel_backend(std::size_t count, const std::function<void(std::size_t)>& work, unsigned threads);

}  // namespace jostle::scenarios
