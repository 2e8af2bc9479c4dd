// Memory for coroutine frames: free lists by size, one set for each thread, so that a process that starts
// many short tasks does not pay for the general allocator each time.
#pragma once

#include <cstddef>

namespace jostle::sim {

[[nodiscard]] void* allocate_frame(std::size_t bytes);
void free_frame(void* frame, std::size_t bytes) noexcept;

}  // namespace jostle::sim
