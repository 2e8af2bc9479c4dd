// How those who use a memory share its bandwidth.
#pragma once

#include <span>

namespace jostle::memory {

struct Sharing {
  double capacity_bytes_per_s = 0;
  // Bandwidth lost as accesses of several alternate (rows of the DRAM are opened and closed for each): of the
  // capacity, this times the mean share that the others have of what is moved, 1 - sum(share^2). At most 0.5.
  double interference = 0;
};

// What is left of the capacity when `grants` (bytes/s) are moved together.
[[nodiscard]] double usable(const Sharing& sharing, std::span<const double> grants);

// Max-min fair: who demands little (bytes/s) is granted it all, the others get equally much, and together
// they move what is usable. Demands and grants are of the same length.
void share_bandwidth(const Sharing& sharing, std::span<const double> demands, std::span<double> grants);

// Somebody whose work takes time T and moves D x T bytes in it, `bound` of T being bound by memory, is
// granted only `share` of D: the speed at which its memory-bound part then runs, so that it moves what it is
// granted:
//   T (1 - bound) + T bound / speed = T / share
// 1 where the share is 1 or nothing is bound by memory.
[[nodiscard]] double memory_speed(double share, double bound);

}  // namespace jostle::memory
