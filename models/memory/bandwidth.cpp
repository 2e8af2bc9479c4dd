#include "models/memory/bandwidth.hpp"

#include <algorithm>
#include <cstddef>

namespace jostle::memory {
namespace {

// The grants if nobody gets more than `level`, and whether they are more than can be moved.
bool exceeds(const Sharing& sharing, std::span<const double> demands, double level,
             std::span<double> grants) {
  double sum = 0;
  for (std::size_t i = 0; i < demands.size(); ++i) sum += grants[i] = std::min(demands[i], level);
  return sum > usable(sharing, grants);
}

}  // namespace

double usable(const Sharing& sharing, std::span<const double> grants) {
  double sum = 0, squares = 0;
  for (const double grant : grants) {
    sum += grant;
    squares += grant * grant;
  }
  const double mixed = sum > 0 ? 1 - squares / (sum * sum) : 0;
  return sharing.capacity_bytes_per_s * (1 - sharing.interference * std::max(mixed, 0.0));
}

void share_bandwidth(const Sharing& sharing, std::span<const double> demands, std::span<double> grants) {
  double low = 0, high = 0;
  for (const double demand : demands) high = std::max(high, demand);
  if (!exceeds(sharing, demands, high, grants)) return;
  // What is moved grows faster with the level than what is usable, so there is one level.
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double level = low + (high - low) / 2;
    (exceeds(sharing, demands, level, grants) ? high : low) = level;
  }
  (void)exceeds(sharing, demands, low, grants);
}

double memory_speed(double share, double bound) {
  if (share >= 1 || bound <= 0) return 1;
  return bound / (1 / share - 1 + bound);
}

}  // namespace jostle::memory
