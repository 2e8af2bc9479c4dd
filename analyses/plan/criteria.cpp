#include "analyses/plan/criteria.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::analyses {
namespace {

// Whether a is at least as good.
bool as_good(const Criterion& criterion, double a, double b) {
  return criterion.maximise ? a >= b : a <= b;
}

}  // namespace

std::size_t objectives(const std::vector<Criterion>& criteria) {
  return static_cast<std::size_t>(std::ranges::count_if(
      criteria, [](const Criterion& criterion) { return !criterion.limit.has_value(); }));
}

bool keeps_limits(const std::vector<Criterion>& criteria, const std::vector<double>& values) {
  for (std::size_t i = 0; i < criteria.size(); ++i)
    if (criteria[i].limit && !as_good(criteria[i], values[i], *criteria[i].limit)) return false;
  return true;
}

std::optional<std::size_t> best_of(const std::vector<Criterion>& criteria,
                                   const std::vector<Evaluation>& seen) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i] && keeps_limits(criteria, *seen[i])) left.push_back(i);
  if (left.empty()) return std::nullopt;
  for (std::size_t criterion = 0; criterion < objectives(criteria); ++criterion) {
    const auto value = [&](std::size_t i) { return (*seen[i])[criterion]; };
    const auto order = [&](std::size_t a, std::size_t b) {
      return criteria[criterion].maximise ? value(a) > value(b) : value(a) < value(b);
    };
    const double top = value(*std::ranges::min_element(left, order));
    if (criterion + 1 == objectives(criteria)) return *std::ranges::min_element(left, order);
    std::erase_if(left, [&](std::size_t i) { return std::abs(value(i) - top) > tie * std::abs(top); });
  }
  return left.front();
}

std::vector<std::size_t> front_of(const std::vector<Criterion>& criteria,
                                  const std::vector<Evaluation>& seen) {
  const std::size_t count = objectives(criteria);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < seen.size(); ++i)
    if (seen[i] && keeps_limits(criteria, *seen[i])) left.push_back(i);
  // Best first in all objectives one after the other: what comes later cannot better what came before.
  std::ranges::stable_sort(left, [&](std::size_t a, std::size_t b) {
    for (std::size_t criterion = 0; criterion < count; ++criterion) {
      const double x = (*seen[a])[criterion], y = (*seen[b])[criterion];
      if (x != y) return criteria[criterion].maximise ? x > y : x < y;
    }
    return false;
  });
  std::vector<std::size_t> front;
  for (const std::size_t i : left) {
    const bool bettered = std::ranges::any_of(front, [&](std::size_t other) {
      for (std::size_t criterion = 0; criterion < count; ++criterion)
        if (!as_good(criteria[criterion], (*seen[other])[criterion], (*seen[i])[criterion])) return false;
      return true;
    });
    if (!bettered) front.push_back(i);
  }
  return front;
}

}  // namespace jostle::analyses
