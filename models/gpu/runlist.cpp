#include "models/gpu/runlist.hpp"

#include <algorithm>

namespace jostle::gpu {
namespace {

// Follows nvgpu_runlist_append_low and its siblings.
void append(std::vector<std::size_t>& list, std::span<const Interleave> levels, Interleave level) {
  const auto above = [&] {
    if (level != Interleave::high) append(list, levels, static_cast<Interleave>(static_cast<int>(level) + 1));
  };
  bool any = false;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i] != level) continue;
    any = true;
    above();
    list.push_back(i);
  }
  if (!any) above();  // no context on this level: the levels above come once
}

}  // namespace

std::vector<std::size_t> runlist(std::span<const Interleave> levels) {
  std::vector<std::size_t> list;
  if (std::ranges::adjacent_find(levels, std::ranges::not_equal_to{}) != levels.end())
    append(list, levels, Interleave::low);
  return list;
}

}  // namespace jostle::gpu
