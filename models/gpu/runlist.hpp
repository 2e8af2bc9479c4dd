// The order in which the GPU visits contexts that interleave at different levels, as nvgpu builds its
// runlist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace jostle::gpu {

// nvgpu's NVGPU_RUNLIST_INTERLEAVE_LEVEL_*; its default is low.
enum class Interleave : std::uint8_t { low, medium, high };

// Indices of contexts, by their levels. Before each context of a level comes the whole list of the levels
// above it: with one high context each low one waits for it once. Empty if all have the same level: plain
// round robin.
[[nodiscard]] std::vector<std::size_t> runlist(std::span<const Interleave> levels);

}  // namespace jostle::gpu
