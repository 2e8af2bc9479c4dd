// Memory for coroutine frames: free lists by size, one set a thread, so that a process that starts many
// short tasks does not pay the general allocator for each.
#pragma once

#include <cstddef>

namespace jostle::sim {

[[nodiscard]] void* allocate_frame(std::size_t bytes);
void free_frame(void* frame, std::size_t bytes) noexcept;

}  // namespace jostle::sim
