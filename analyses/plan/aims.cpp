#include "analyses/plan/aims.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::analyses {
namespace {

// Whether a is at least as good.
bool as_good(const Aim& aim, double a, double b) {
  return aim.maximise ? a >= b : a <= b;
}

}  // namespace

std::size_t objectives(const std::vector<Aim>& aims) {
  return static_cast<std::size_t>(
      std::ranges::count_if(aims, [](const Aim& aim) { return !aim.limit.has_value(); }));
}

bool keeps_limits(const std::vector<Aim>& aims, const std::vector<double>& values) {
  for (std::size_t i = 0; i < aims.size(); ++i)
    if (aims[i].limit && !as_good(aims[i], values[i], *aims[i].limit)) return false;
  return true;
}

std::optional<std::size_t> best_of(const std::vector<Aim>& aims, const std::vector<Seen>& seen) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i] && keeps_limits(aims, *seen[i])) left.push_back(i);
  if (left.empty()) return std::nullopt;
  for (std::size_t aim = 0; aim < objectives(aims); ++aim) {
    const auto value = [&](std::size_t i) { return (*seen[i])[aim]; };
    const auto order = [&](std::size_t a, std::size_t b) {
      return aims[aim].maximise ? value(a) > value(b) : value(a) < value(b);
    };
    const double top = value(*std::ranges::min_element(left, order));
    if (aim + 1 == objectives(aims)) return *std::ranges::min_element(left, order);
    std::erase_if(left, [&](std::size_t i) { return std::abs(value(i) - top) > tie * std::abs(top); });
  }
  return left.front();
}

std::vector<std::size_t> front_of(const std::vector<Aim>& aims, const std::vector<Seen>& seen) {
  const std::size_t count = objectives(aims);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i] && keeps_limits(aims, *seen[i])) left.push_back(i);
  // Best first in all objectives one after the other: what comes later cannot better what came before.
  std::ranges::stable_sort(left, [&](std::size_t a, std::size_t b) {
    for (std::size_t aim = 0; aim < count; ++aim) {
      const double x = (*seen[a])[aim], y = (*seen[b])[aim];
      if (x != y) return aims[aim].maximise ? x > y : x < y;
    }
    return false;
  });
  std::vector<std::size_t> front;
  for (const std::size_t i : left) {
    const bool bettered = std::ranges::any_of(front, [&](std::size_t other) {
      for (std::size_t aim = 0; aim < count; ++aim)
        if (!as_good(aims[aim], (*seen[other])[aim], (*seen[i])[aim])) return false;
      return true;
    });
    if (!bettered) front.push_back(i);
  }
  return front;
}

}  // namespace jostle::analyses
