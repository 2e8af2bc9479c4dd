// Sharing of a memory's bandwidth among its users.
#pragma once

#include <span>

namespace jostle::memory {

struct Sharing {
  double capacity_bytes_per_s = 0;
  // Bandwidth lost because accesses of several users alternate (DRAM rows are opened and closed for each).
  // The loss is the capacity times `interference` times the mean share of the traffic that belongs to other
  // users, 1 - sum(share^2). At most 0.5.
  double interference = 0;
};

// The usable capacity when `grants` (bytes/s) are moved at the same time.
[[nodiscard]] double usable(const Sharing& sharing, std::span<const double> grants);

// Divides the bandwidth max-min fairly: a small demand (bytes/s) is granted in full, all others get equal
// grants, and together they use the usable capacity. A demand may be the sum of several equal `users`: grants
// are equal per user. The three spans have the same length.
void share_bandwidth(const Sharing& sharing, std::span<const double> demands, std::span<const double> users,
                     std::span<double> grants);

// A user's work takes time T and moves D x T bytes in that time; the part `bound` of T is memory-bound. If
// only `share` of D is granted, this is the speed of the memory-bound part at which the work moves exactly
// what is granted:
//   T (1 - bound) + T bound / speed = T / share
// 1 if the share is 1 or nothing is memory-bound.
[[nodiscard]] double memory_speed(double share, double bound);

}  // namespace jostle::memory
