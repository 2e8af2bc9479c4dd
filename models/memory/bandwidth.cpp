#include "models/memory/bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace jostle::memory {
namespace {

struct Asked {
  std::span<const double> demands, users;
};

// The common grant of all users that demand more than it, such that the grants (not the demands) sum to
// `total`.
double level_for(const Asked& asked, double total) {
  double level = 0;
  for (;;) {
    double satisfied = 0, others = 0;
    for (std::size_t i = 0; i < asked.demands.size(); ++i) {
      if (asked.demands[i] <= level * asked.users[i]) {
        satisfied += asked.demands[i];
      } else {
        others += asked.users[i];
      }
    }
    if (others == 0) return level;
    const double next = (total - satisfied) / others;
    if (next <= level) return level;
    level = next;
  }
}

void grant_up_to(double level, const Asked& asked, std::span<double> grants) {
  for (std::size_t i = 0; i < grants.size(); ++i)
    grants[i] = std::min(asked.demands[i], level * asked.users[i]);
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

void share_bandwidth(const Sharing& sharing, std::span<const double> demands, std::span<const double> users,
                     std::span<double> grants) {
  double sum = 0;
  for (std::size_t i = 0; i < demands.size(); ++i) sum += grants[i] = demands[i];
  double total = usable(sharing, grants);
  if (sum <= total) return;
  // The usable bandwidth depends on the grants and the grants on it: each step reduces the
  // error to at most interference / 2 of it.
  constexpr int max_steps = 60;
  constexpr double close_enough = 1e-12;
  for (int i = 0; i < max_steps; ++i) {
    grant_up_to(level_for({demands, users}, total), {demands, users}, grants);
    const double before = std::exchange(total, usable(sharing, grants));
    if (std::abs(total - before) <= close_enough * before) return;
  }
}

double memory_speed(double share, double bound) {
  if (share >= 1 || bound <= 0) return 1;
  return bound / (1 / share - 1 + bound);
}

}  // namespace jostle::memory
