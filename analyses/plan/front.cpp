#include "analyses/plan/front.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::analyses {
namespace {

// The lead of a over b in an objective: its upper confidence bound, and the difference of means.
struct Lead {
  double most = 0, mean = 0;
};
Lead lead(const Goal& goal, const FrontPoint& a, const FrontPoint& b, std::size_t objective) {
  const bool maximise = goal.criteria[objective].maximise;
  const double by = a.values[objective] - b.values[objective];
  Lead found{maximise ? by : -by, maximise ? by : -by};
  if (a.samples != nullptr && b.samples != nullptr)
    found.most = maximise ? a.samples->greatest_difference(*b.samples, objective, goal.confidence)
                          : b.samples->greatest_difference(*a.samples, objective, goal.confidence);
  return found;
}

double zone(const Goal& goal, const FrontPoint& at, std::size_t objective) {
  return goal.indifference * std::abs(at.values[objective]);
}

// Returns whether a is worse than b in no objective beyond noise, and better in one by more than noise and
// the zone.
bool dominates(const Goal& goal, const FrontPoint& a, const FrontPoint& b) {
  bool better = false;
  for (std::size_t i = 0; i < goal.objectives; ++i) {
    const Lead back = lead(goal, b, a, i);
    const double noise = back.most - back.mean;
    if (back.mean > noise) return false;
    better |= back.most < -zone(goal, b, i);
  }
  return better;
}

// Returns whether a can represent b: b is better in no objective by more than the zone and noise.
bool stands_for(const Goal& goal, const FrontPoint& a, const FrontPoint& b) {
  for (std::size_t i = 0; i < goal.objectives; ++i) {
    const Lead back = lead(goal, b, a, i);
    if (back.mean > std::max(zone(goal, a, i), back.most - back.mean)) return false;
  }
  return true;
}

}  // namespace

std::vector<FrontPoint> front_beyond_noise(const Goal& goal, std::vector<FrontPoint> points) {
  std::ranges::stable_sort(points, [&](const FrontPoint& a, const FrontPoint& b) {
    for (std::size_t i = 0; i < goal.objectives; ++i)
      if (a.values[i] != b.values[i])
        return goal.criteria[i].maximise ? a.values[i] > b.values[i] : a.values[i] < b.values[i];
    return false;
  });
  std::vector<FrontPoint> front;
  for (const FrontPoint& one : points) {
    const auto covers = [&](const FrontPoint& other) { return stands_for(goal, other, one); };
    const auto beats = [&](const FrontPoint& other) {
      return other.point != one.point && dominates(goal, other, one);
    };
    if (std::ranges::none_of(front, covers) && std::ranges::none_of(points, beats)) front.push_back(one);
  }
  return front;
}

}  // namespace jostle::analyses
