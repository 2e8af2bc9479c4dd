// Objectives and limits of an optimisation, and the selection of the best points by them.
#include <algorithm>
#include <cmath>

#include "analyses/plan/goal.hpp"

namespace jostle::analyses {
namespace {

// Returns whether a is at least as good as b.
bool at_least_as_good(const Criterion& criterion, double a, double b) {
  return criterion.maximise ? a >= b : a <= b;
}

}  // namespace

std::size_t objectives(const std::vector<Criterion>& criteria) {
  return static_cast<std::size_t>(std::ranges::count_if(
      criteria, [](const Criterion& criterion) { return !criterion.limit.has_value(); }));
}

bool meets_limits(const std::vector<Criterion>& criteria, const std::vector<double>& values) {
  for (std::size_t i = 0; i < criteria.size(); ++i)
    if (criteria[i].limit && !at_least_as_good(criteria[i], values[i], *criteria[i].limit)) return false;
  return true;
}

double violation(const Criterion& criterion, double value) {
  const double by = criterion.maximise ? *criterion.limit - value : value - *criterion.limit;
  return by / std::max(std::abs(*criterion.limit), 1e-12);
}

std::optional<std::size_t> best_of(const std::vector<Criterion>& criteria,
                                   const std::vector<Evaluation>& evaluations, double indifference) {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < evaluations.size(); ++i)
    if (evaluations[i] && meets_limits(criteria, *evaluations[i])) candidates.push_back(i);
  if (candidates.empty()) return std::nullopt;
  for (std::size_t criterion = 0; criterion < objectives(criteria); ++criterion) {
    const auto value = [&](std::size_t i) { return (*evaluations[i])[criterion]; };
    const auto order = [&](std::size_t a, std::size_t b) {
      return criteria[criterion].maximise ? value(a) > value(b) : value(a) < value(b);
    };
    const double top = value(*std::ranges::min_element(candidates, order));
    if (criterion + 1 == objectives(criteria)) return *std::ranges::min_element(candidates, order);
    std::erase_if(candidates,
                  [&](std::size_t i) { return std::abs(value(i) - top) > indifference * std::abs(top); });
  }
  return candidates.front();
}

std::vector<std::size_t> front_of(const std::vector<Criterion>& criteria,
                                  const std::vector<Evaluation>& evaluations) {
  const std::size_t count = objectives(criteria);
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < evaluations.size(); ++i)
    if (evaluations[i] && meets_limits(criteria, *evaluations[i])) candidates.push_back(i);
  // In lexicographic order a later evaluation cannot dominate an earlier one.
  std::ranges::stable_sort(candidates, [&](std::size_t a, std::size_t b) {
    for (std::size_t criterion = 0; criterion < count; ++criterion) {
      const double x = (*evaluations[a])[criterion], y = (*evaluations[b])[criterion];
      if (x != y) return criteria[criterion].maximise ? x > y : x < y;
    }
    return false;
  });
  std::vector<std::size_t> front;
  for (const std::size_t i : candidates) {
    const bool dominated = std::ranges::any_of(front, [&](std::size_t other) {
      for (std::size_t criterion = 0; criterion < count; ++criterion)
        if (!at_least_as_good(criteria[criterion], (*evaluations[other])[criterion],
                              (*evaluations[i])[criterion]))
          return false;
      return true;
    });
    if (!dominated) front.push_back(i);
  }
  return front;
}

}  // namespace jostle::analyses
