#include "analyses/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analyses/plan/search.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

constexpr std::size_t exhaustive_limit = 300;  // up to this many points all are evaluated

// Whether a value differs by more than `tie`. Points that differ only in a key without effect do not.
bool differs(const std::vector<double>& values, const std::vector<double>& best) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::abs(values[i] - best[i]) > tie * std::abs(best[i])) return true;
  return false;
}

class Planner {
 public:
  Planner(Candidates& candidates, const PlanControl& control)
      : candidates_(candidates), evaluations_(candidates.evaluations()), control_(control) {
    plan_.goal = candidates.goal();
    plan_.points = candidates.size();
  }

  Plan make() {
    const std::size_t budget = control_.max_evaluations > 0
                                   ? control_.max_evaluations
                                   : std::max(exhaustive_limit, candidates_.size() / 10);
    if (control_.exhaustive || candidates_.size() <= std::min(exhaustive_limit, budget))
      candidates_.evaluate_all(progress_to(candidates_.size()));
    else
      search(budget);
    plan_.exhaustive = evaluations_.size() == candidates_.size();
    plan_.count = candidates_.count();
    conclude();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] std::function<void(std::size_t)> progress_to(std::size_t of) const {
    if (!control_.progress) return {};
    return [this, of](std::size_t done) { control_.progress(done, of); };
  }

  void search(std::size_t budget) {
    Search search(candidates_.space(), plan_.goal.criteria, {.max_evaluations = budget});
    for (auto next = search.next(); !next.empty(); next = search.next()) {
      candidates_.evaluate(next, progress_to(budget));
      for (const std::size_t point : next) search.record_evaluation(point, evaluations_.at(point));
    }
    plan_.converged = search.exhausted() || evaluations_.size() == candidates_.size();
  }

  [[nodiscard]] PlanPoint plan_point(std::size_t candidate) const {
    PlanPoint found{candidates_.study_point(candidate), candidates_.checked(candidate).settings,
                    *evaluations_.at(candidate),
                    std::vector<scenarios::Interval>(plan_.goal.criteria.size())};
    if (control_.intervals)
      found.intervals = goal_intervals(plan_.goal, candidates_.scenario(candidate), control_.interrupt);
    return found;
  }

  // The best of the evaluated points for which `may` holds.
  template <typename May>
  [[nodiscard]] std::optional<std::size_t> best_where(const std::vector<Criterion>& criteria,
                                                      const May& may) const {
    std::vector<Evaluation> evaluations;
    std::vector<std::size_t> points;
    for (const auto& [point, values] : evaluations_) {
      if (!values || !may(point, *values)) continue;
      points.push_back(point);
      evaluations.push_back(values);
    }
    const auto found = best_of(criteria, evaluations);
    return found ? std::optional(points[*found]) : std::nullopt;
  }

  void conclude() {
    const std::vector<Criterion>& criteria = plan_.goal.criteria;
    const auto best = best_where(criteria, [](std::size_t, const auto&) { return true; });
    if (!best) return add_missed_limits();
    plan_.best = plan_point(*best);
    const auto second = best_where(criteria, [&](std::size_t point, const auto& values) {
      return differs(values, *evaluations_.at(*best)) && !is_adjacent_on_scale(point, *best);
    });
    if (second) plan_.runner_up = plan_point(*second);
    if (plan_.goal.objectives > 1) add_front();
    for (std::size_t i = plan_.goal.objectives; i < criteria.size(); ++i) relax(i);
  }

  // A neighbour on a key with many values, such as the next lower clock, is not a real alternative.
  [[nodiscard]] bool is_adjacent_on_scale(std::size_t point, std::size_t best) const {
    constexpr std::size_t max_choices = 8;  // a key with more values is a scale
    const SearchSpace& space = candidates_.space();
    const std::vector<std::size_t> neighbours = space.neighbours(best);
    if (std::ranges::find(neighbours, point) == neighbours.end()) return false;
    for (std::size_t d = 0; d < space.dimensions().size(); ++d)
      if (space[point][d] != space[best][d]) return space.dimensions()[d].size > max_choices;
    return false;
  }

  void add_front() {
    std::vector<Evaluation> evaluations;
    std::vector<std::size_t> points;
    for (const auto& [point, values] : evaluations_) {
      points.push_back(point);
      evaluations.push_back(values);
    }
    for (const std::size_t i : front_of(plan_.goal.criteria, evaluations))
      plan_.front.push_back(plan_point(points[i]));
  }

  void relax(std::size_t limit) {
    std::vector<Criterion> criteria = plan_.goal.criteria;
    const Criterion strict = criteria[limit];
    criteria.erase(criteria.begin() + static_cast<std::ptrdiff_t>(limit));
    std::vector<Evaluation> evaluations;
    std::vector<std::size_t> points;
    for (const auto& [point, values] : evaluations_) {
      if (!values) continue;
      std::vector<double> others = *values;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(limit));
      points.push_back(point);
      evaluations.emplace_back(std::move(others));
    }
    const auto found = best_of(criteria, evaluations);
    if (!found) return;
    const std::vector<double>& values = *evaluations_.at(points[*found]);
    const double before = plan_.best->values[0], after = values[0];
    const double gain = criteria[0].maximise ? after - before : before - after;
    if (meets_limits({strict}, {values[limit]}) || gain <= tie * std::abs(before)) return;
    plan_.relaxed.push_back({limit, values[limit], plan_point(points[*found])});
  }

  void add_missed_limits() {
    for (std::size_t i = plan_.goal.objectives; i < plan_.goal.criteria.size(); ++i) {
      const Criterion& criterion = plan_.goal.criteria[i];
      std::optional<double> nearest;
      for (const auto& [point, values] : evaluations_) {
        if (!values) continue;
        const double value = (*values)[i];
        if (!nearest || (criterion.maximise ? value > *nearest : value < *nearest)) nearest = value;
      }
      if (nearest && !meets_limits({criterion}, {*nearest})) plan_.missed.push_back({i, *nearest});
    }
  }

  Candidates& candidates_;
  const std::map<std::size_t, Evaluation>& evaluations_;
  const PlanControl& control_;
  Plan plan_;
};

}  // namespace

Plan plan(Candidates& candidates, const PlanControl& control) {
  return Planner(candidates, control).make();
}

}  // namespace jostle::analyses
