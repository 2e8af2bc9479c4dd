#include "analyses/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analyses/plan/search.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

constexpr std::size_t few = 300;  // points, that are all simulated

// Whether it shows anything else: a key that moves nothing makes many points alike.
bool differs(const std::vector<double>& values, const std::vector<double>& best) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::abs(values[i] - best[i]) > tie * std::abs(best[i])) return true;
  return false;
}

class Planner {
 public:
  Planner(Candidates& candidates, const PlanControl& control)
      : candidates_(candidates), seen_(candidates.seen()), control_(control) {
    plan_.goal = candidates.goal();
    plan_.points = candidates.size();
  }

  Plan make() {
    const std::size_t most = control_.most > 0 ? control_.most : std::max(few, candidates_.size() / 10);
    if (control_.exhaustive || candidates_.size() <= std::min(few, most))
      candidates_.look_at_all(progress_to(candidates_.size()));
    else
      search(most);
    plan_.exhaustive = seen_.size() == candidates_.size();
    plan_.count = candidates_.count();
    conclude();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] std::function<void(std::size_t)> progress_to(std::size_t of) const {
    if (!control_.progress) return {};
    return [this, of](std::size_t done) { control_.progress(done, of); };
  }

  void search(std::size_t most) {
    Search search(candidates_.space(), plan_.goal.criteria, {.most = most});
    for (auto next = search.next(); !next.empty(); next = search.next()) {
      candidates_.look_at(next, progress_to(most));
      for (const std::size_t point : next) search.tell(point, seen_.at(point));
    }
    plan_.converged = search.exhausted() || seen_.size() == candidates_.size();
  }

  [[nodiscard]] PlanPoint shown(std::size_t candidate) const {
    PlanPoint found{candidates_.study_point(candidate), candidates_.checked(candidate).settings,
                    *seen_.at(candidate), std::vector<scenarios::Interval>(plan_.goal.criteria.size())};
    if (control_.intervals)
      found.intervals = goal_intervals(plan_.goal, candidates_.scenario(candidate), control_.interrupt);
    return found;
  }

  // The best of the points looked at for which `may` holds, by criteria of which some limits may be left out.
  template <typename May>
  [[nodiscard]] std::optional<std::size_t> best_where(const std::vector<Criterion>& criteria,
                                                      const May& may) const {
    std::vector<Evaluation> seen;
    std::vector<std::size_t> points;
    for (const auto& [point, values] : seen_) {
      if (!values || !may(point, *values)) continue;
      points.push_back(point);
      seen.push_back(values);
    }
    const auto found = best_of(criteria, seen);
    return found ? std::optional(points[*found]) : std::nullopt;
  }

  void conclude() {
    const std::vector<Criterion>& criteria = plan_.goal.criteria;
    const auto best = best_where(criteria, [](std::size_t, const auto&) { return true; });
    if (!best) return tell_what_was_missed();
    plan_.best = shown(*best);
    const auto second = best_where(criteria, [&](std::size_t point, const auto& values) {
      return differs(values, *seen_.at(*best)) && !is_one_step_of_a_scale(point, *best);
    });
    if (second) plan_.runner_up = shown(*second);
    if (plan_.goal.objectives > 1) tell_front();
    for (std::size_t i = plan_.goal.objectives; i < criteria.size(); ++i) relax(i);
  }

  // A clock a step lower is no other choice.
  [[nodiscard]] bool is_one_step_of_a_scale(std::size_t point, std::size_t best) const {
    constexpr std::size_t choices = 8;  // a key of more values is a scale
    const SearchSpace& space = candidates_.space();
    const std::vector<std::size_t> beside = space.neighbours(best);
    if (std::ranges::find(beside, point) == beside.end()) return false;
    for (std::size_t d = 0; d < space.dimensions().size(); ++d)
      if (space[point][d] != space[best][d]) return space.dimensions()[d].size > choices;
    return false;
  }

  void tell_front() {
    std::vector<Evaluation> seen;
    std::vector<std::size_t> points;
    for (const auto& [point, values] : seen_) {
      points.push_back(point);
      seen.push_back(values);
    }
    for (const std::size_t i : front_of(plan_.goal.criteria, seen)) plan_.front.push_back(shown(points[i]));
  }

  void relax(std::size_t limit) {
    std::vector<Criterion> criteria = plan_.goal.criteria;
    const Criterion strict = criteria[limit];
    criteria.erase(criteria.begin() + static_cast<std::ptrdiff_t>(limit));
    std::vector<Evaluation> seen;
    std::vector<std::size_t> points;
    for (const auto& [point, values] : seen_) {
      if (!values) continue;
      std::vector<double> others = *values;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(limit));
      points.push_back(point);
      seen.emplace_back(std::move(others));
    }
    const auto found = best_of(criteria, seen);
    if (!found) return;
    const std::vector<double>& values = *seen_.at(points[*found]);
    const double before = plan_.best->values[0], after = values[0];
    const double won = criteria[0].maximise ? after - before : before - after;
    if (keeps_limits({strict}, {values[limit]}) || won <= tie * std::abs(before)) return;
    plan_.relaxed.push_back({limit, values[limit], shown(points[*found])});
  }

  void tell_what_was_missed() {
    for (std::size_t i = plan_.goal.objectives; i < plan_.goal.criteria.size(); ++i) {
      const Criterion& criterion = plan_.goal.criteria[i];
      std::optional<double> nearest;
      for (const auto& [point, values] : seen_) {
        if (!values) continue;
        const double value = (*values)[i];
        if (!nearest || (criterion.maximise ? value > *nearest : value < *nearest)) nearest = value;
      }
      if (nearest && !keeps_limits({criterion}, {*nearest})) plan_.missed.push_back({i, *nearest});
    }
  }

  Candidates& candidates_;
  const std::map<std::size_t, Evaluation>& seen_;
  const PlanControl& control_;
  Plan plan_;
};

}  // namespace

Plan plan(Candidates& candidates, const PlanControl& control) {
  return Planner(candidates, control).make();
}

}  // namespace jostle::analyses
