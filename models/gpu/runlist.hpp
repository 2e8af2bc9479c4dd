// The order in which the GPU visits contexts that interleave at different levels, as nvgpu builds its
// runlist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace jostle::gpu {

// nvgpu's NVGPU_RUNLIST_INTERLEAVE_LEVEL_*; its default is low.
enum class Interleave : std::uint8_t { low, medium, high };

// Indices of contexts, by their levels. Before each context of a level comes the whole list of the levels
// above it: with one high context each low one waits for it once. Empty if all have the same level: plain
// round robin.
[[nodiscard]] std::vector<std::size_t> runlist(std::span<const Interleave> levels);

// The order of turns: by the runlist or, if all levels are equal, round robin.
class Rotation {
 public:
  void add(Interleave level) {
    levels_.push_back(level);
    list_.reset();
  }
  // The next context after `owner` for which `waits(index)` is true; none: no context waits.
  template <class Waits>
  std::optional<std::size_t> next(std::size_t owner, const Waits& waits) {
    if (!list_) list_ = runlist(levels_);
    for (std::size_t i = 0; i < list_->size(); ++i) {
      at_ = (at_ + 1) % list_->size();
      if (waits((*list_)[at_])) return (*list_)[at_];
    }
    for (std::size_t i = 1; i < levels_.size(); ++i)
      if (const std::size_t index = (owner + i) % levels_.size(); waits(index)) return index;
    return {};
  }

 private:
  std::vector<Interleave> levels_;
  std::optional<std::vector<std::size_t>> list_;  // runlist(); none: not made yet
  std::size_t at_ = 0;                            // index in the list of the last chosen context
};

}  // namespace jostle::gpu
