#include "analyses/plan/race.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace jostle::analyses {
namespace {

constexpr double likely = 0.9;  // probability of being feasible that bars points that are no better
constexpr double sigmas = 3;    // standard deviations that one run may be off
constexpr std::size_t max_near_misses = 32;
constexpr std::size_t told_steps = 3;  // least number of steps of the best point
constexpr std::size_t chunk = 4;       // points that enter at once

}  // namespace

Race::Race(const Candidates& candidates, const Replicator& replicator, const RaceSettings& settings)
    : candidates_(candidates), replicator_(replicator), settings_(settings), order_(in_order()) {}

// Points with values, sorted by the objectives.
Race::Points Race::in_order() const {
  const auto& evaluations = candidates_.evaluations();
  const Goal& goal = candidates_.goal();
  Points points;
  for (const auto& [point, values] : evaluations)
    if (values) points.push_back(point);
  std::ranges::stable_sort(points, [&](std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < goal.objectives; ++i) {
      const double x = (*evaluations.at(a))[i], y = (*evaluations.at(b))[i];
      if (x != y) return goal.criteria[i].maximise ? x > y : x < y;
    }
    return false;
  });
  return points;
}

std::optional<std::size_t> Race::least_violating() const {
  const std::vector<Criterion>& criteria = candidates_.goal().criteria;
  std::optional<std::size_t> best;
  double least = 0;
  for (const std::size_t point : order_) {
    double worst = 0;
    for (std::size_t i = candidates_.goal().objectives; i < criteria.size(); ++i)
      worst = std::max(worst, violation(criteria[i], (*candidates_.evaluations().at(point))[i]));
    if (best && worst >= least) continue;
    best = point;
    least = worst;
  }
  return best;
}

double Race::noise(std::size_t criterion) const {
  double greatest = 0;
  for (const auto& [point, one] : finalists_) {
    const Evaluation means = one.replicated.samples.means();
    const double deviation = one.replicated.samples.deviation(criterion);
    if (means && (*means)[criterion] != 0 && std::isfinite(deviation))
      greatest = std::max(greatest, deviation / std::abs((*means)[criterion]));
  }
  return greatest;
}

bool Race::is_exact() const {
  for (std::size_t i = 0; i < candidates_.goal().criteria.size(); ++i)
    if (noise(i) > candidates_.goal().indifference / 10) return false;
  return true;
}

// Returns whether the single run of the point meets the limits, or misses them by no more than noise.
bool Race::near(std::size_t point) const {
  const std::vector<Criterion>& criteria = candidates_.goal().criteria;
  for (std::size_t i = candidates_.goal().objectives; i < criteria.size(); ++i)
    if (violation(criteria[i], (*candidates_.evaluations().at(point))[i]) > sigmas * noise(i)) return false;
  return true;
}

// Returns whether the point may beat the other one by more than the zone, by their single runs with common
// random numbers.
bool Race::seems_better(std::size_t point, std::size_t than) const {
  const Goal& goal = candidates_.goal();
  for (std::size_t i = 0; i < goal.objectives; ++i) {
    const double x = (*candidates_.evaluations().at(point))[i], y = (*candidates_.evaluations().at(than))[i];
    const double by = goal.criteria[i].maximise ? x - y : y - x, unit = std::abs(y);
    const double most = by + sigmas * noise(i) * unit;
    if (most > goal.indifference * unit) return true;
    if (most < -goal.indifference * unit) return false;
  }
  return false;
}

// Returns whether the point may still beat the best one by more than the zone, with the confidence of the
// goal.
bool Race::may_beat(const Finalist& one, const Finalist& best) const {
  const Goal& goal = candidates_.goal();
  const Evaluation there = best.replicated.samples.means();
  if (!there || !one.replicated.samples.means()) return !there;
  const auto looks = static_cast<double>(finalists_.size() * replication_steps.size());
  const double confidence = 1 - (1 - goal.confidence) / looks;
  for (std::size_t i = 0; i < goal.objectives; ++i) {
    const Samples& a = one.replicated.samples;
    const Samples& b = best.replicated.samples;
    const double most = goal.criteria[i].maximise ? a.greatest_difference(b, i, confidence)
                                                  : b.greatest_difference(a, i, confidence);
    const double zone = goal.indifference * std::abs((*there)[i]);
    if (most > zone) return true;
    if (most < -zone) return false;
  }
  return false;
}

// The best of the finalists that are feasible with at least this probability.
std::optional<std::size_t> Race::best_above(double p) const {
  const Goal& goal = candidates_.goal();
  std::vector<Criterion> objectives = goal.criteria;
  objectives.resize(goal.objectives);
  std::vector<Evaluation> evaluations;
  Points points;
  for (const auto& [point, one] : finalists_) {
    if (one.verdict == Verdict::infeasible || (one.verdict != Verdict::feasible && one.p_feasible < p))
      continue;
    Evaluation means = one.replicated.samples.means();
    if (!means) continue;
    means->resize(goal.objectives);
    evaluations.push_back(std::move(means));
    points.push_back(point);
  }
  const auto found = best_of(objectives, evaluations, goal.indifference);
  return found ? std::optional(points[*found]) : std::nullopt;
}

std::optional<std::size_t> Race::best() const {
  return best_above(2);  // above 1: only those with the verdict feasible
}

// The undecided points that may beat the best, and the best itself if there are any.
Race::Points Race::contenders() const {
  const auto top = best();
  Points points;
  for (const auto& [point, one] : finalists_) {
    if (one.verdict == Verdict::infeasible || point == top) continue;
    if (!top || may_beat(one, finalists_.at(*top))) points.push_back(point);
  }
  if (top && !points.empty()) points.push_back(*top);
  return points;
}

// Adds points that may beat the best of those that are likely to be feasible. Returns false if there are
// none.
bool Race::widen() {
  const auto top = best_above(likely);
  Points entering;
  std::size_t misses = 0;
  for (const auto& [point, one] : finalists_)
    misses += meets_limits(candidates_.goal().criteria, *candidates_.evaluations().at(point)) ? 0 : 1;
  for (const std::size_t point : order_) {
    if (entering.size() >= chunk) break;
    if (finalists_.contains(point) || !near(point) || (top && !seems_better(point, *top))) continue;
    const bool met = meets_limits(candidates_.goal().criteria, *candidates_.evaluations().at(point));
    if (!met && misses >= max_near_misses) continue;
    if (!configurations_.insert(candidates_.configuration(point)).second) continue;
    misses += met ? 0 : 1;
    entering.push_back(point);
  }
  if (entering.empty()) return false;
  decide(entering, steps_);
  return true;
}

// The points whose next step fits into the budget, most likely feasible first.
Race::Points Race::affordable(Points points) const {
  std::ranges::stable_sort(points, std::greater{},
                           [&](std::size_t point) { return finalists_.at(point).p_feasible; });
  double left = settings_.budget_s - spent_s_;
  Points found;
  for (const std::size_t point : points) {
    const Replicated& one = finalists_.at(point).replicated;
    const double cost = cost_of_step(one);
    // The first step of a point takes only a few runs and is always allowed.
    if (one.steps > 0 && cost > left) continue;
    left -= cost;
    found.push_back(point);
  }
  return found;
}

void Race::step(const Points& points) {
  std::vector<Replicated*> these;
  for (const std::size_t point : points) these.push_back(&finalists_.at(point).replicated);
  double before = 0, after = 0;
  for (const Replicated* const one : these) before += one->samples.simulated_s();
  replicator_.step(these);
  for (const Replicated* const one : these) after += one->samples.simulated_s();
  spent_s_ += after - before;
  judge(points);
  if (settings_.progress && settings_.budget_s > 0)
    settings_.progress(std::min(1.0, spent_s_ / settings_.budget_s));
}

void Race::judge(const Points& points) {
  const std::vector<Criterion>& criteria = candidates_.goal().criteria;
  // The probability of error is divided among the steps and the points still in the race.
  const auto in_race = std::ranges::count_if(
      finalists_, [](const auto& entry) { return entry.second.verdict != Verdict::infeasible; });
  const double error = (1 - candidates_.goal().confidence) /
                       static_cast<double>(replication_steps.size() * static_cast<std::size_t>(in_race));
  for (const std::size_t point : points) {
    Finalist& one = finalists_.at(point);
    one.p_feasible = one.replicated.samples.p_feasible(criteria);
    one.verdict = verdict_of(one.p_feasible, error, one.verdict);
  }
}

void Race::decide(const std::vector<std::size_t>& points, std::size_t most, std::size_t least) {
  for (const std::size_t point : points) {
    if (finalists_.contains(point)) continue;
    finalists_[point].replicated.scenario = candidates_.long_enough(point);
    configurations_.insert(candidates_.configuration(point));
  }
  for (std::size_t i = 0; i < most; ++i) {
    Points open;
    for (const std::size_t point : points) {
      const Finalist& one = finalists_.at(point);
      if (one.replicated.steps <= i && (one.verdict == Verdict::undecided || i < least))
        open.push_back(point);
    }
    open = affordable(std::move(open));
    if (open.empty()) return;
    step(open);
  }
}

void Race::run() {
  if (order_.empty()) return;
  const auto first = [&]() -> std::optional<std::size_t> {
    for (const std::size_t point : order_)
      if (meets_limits(candidates_.goal().criteria, *candidates_.evaluations().at(point))) return point;
    return least_violating();
  }();
  decide({*first}, 1);
  while (true) {
    while (widen()) {
    }
    Points open = contenders();
    std::erase_if(open, [&](std::size_t point) {
      return finalists_.at(point).replicated.steps >= replication_steps.size();
    });
    const auto top = best();
    if (open.empty() || (open.size() == 1 && open.front() == top)) {
      // The reported values of the best point are worth a few more runs.
      if (!top || is_exact() || finalists_.at(*top).replicated.steps >= told_steps) return;
      open = {*top};
    }
    const Points next = affordable(open);
    within_budget_ &= next.size() == open.size();
    if (next.empty()) return;
    step(next);
    for (const std::size_t point : next) steps_ = std::max(steps_, finalists_.at(point).replicated.steps);
  }
}

}  // namespace jostle::analyses
