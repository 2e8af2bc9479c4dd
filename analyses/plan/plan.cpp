#include "analyses/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "analyses/compare/cause.hpp"
#include "analyses/compare/compare.hpp"
#include "analyses/plan/race.hpp"
#include "analyses/plan/samples.hpp"
#include "analyses/plan/search.hpp"
#include "analyses/plan/words.hpp"
#include "analyses/study/power_basis.hpp"
#include "analyses/verdict/verdict.hpp"
#include "input/counted.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/grades.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

constexpr std::size_t exhaustive_limit = 300;  // up to this many points all are evaluated
constexpr std::size_t few = 16;                // up to this many points all are listed

// Returns whether a value differs by more than the zone of indifference. Points that differ only in a key
// without effect do not.
bool differs(const std::vector<double>& values, const std::vector<double>& best, double zone) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::abs(values[i] - best[i]) > zone * std::abs(best[i])) return true;
  return false;
}

// True if a process is no language model, so that the board's total counts images.
bool has_network(const scenarios::Scenario& scenario) {
  return std::ranges::any_of(scenario.processes, [](const scenarios::ProcessEntry& process) {
    return std::ranges::any_of(parts_of(process), [](const scenarios::ProcessEntry& part) {
      return scenarios::language_model(part.work.model) == nullptr;
    });
  });
}

class Planner {
 public:
  Planner(Candidates& candidates, const PlanControl& control)
      : candidates_(candidates), evaluations_(candidates.evaluations()), control_(control) {
    plan_.goal = candidates.goal();
    const auto names = [&candidates](std::size_t candidate) {
      const scenarios::Scenario scenario = candidates.scenario(candidate);
      std::vector<std::string> all;
      for (const scenarios::ProcessInstance& one : scenarios::expand(scenario))
        all.push_back(scenarios::called(scenario.processes[one.entry]));
      return all;
    };
    if (candidates.size() > 0 && names(0) == names(candidates.size() - 1)) plan_.goal.names = names(0);
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
    plan_.search_s = plan_.count.simulated_s + plan_.count.again_s;
    const Replicator replicator{plan_.goal, candidates_.profiles(), candidates_.threads(),
                                control_.interrupt};
    Race race(candidates_, replicator, {replication_budget(), control_.replicating});
    race_ = &race;
    race.run();
    conclude();
    plan_.power_note = power_note(powered_);
    plan_.decided = race.within_budget();
    plan_.replicated_s = race.spent_s();
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

  // Simulated time for replications.
  [[nodiscard]] double replication_budget() const {
    constexpr double usual_effort = 10, fewest_runs = 500;
    if (const auto& effort = candidates_.settings().effort) return plan_.count.simulated_s * *effort;
    const auto runs = static_cast<double>(std::max<std::size_t>(1, plan_.count.evaluated));
    return plan_.count.simulated_s * std::max(usual_effort, fewest_runs / runs);
  }

  [[nodiscard]] const Finalist* finalist(std::size_t candidate) const {
    const auto found = race_->finalists().find(candidate);
    return found != race_->finalists().end() ? &found->second : nullptr;
  }

  // The best known values of a point: the means of its replications, else those of one run.
  [[nodiscard]] Evaluation known(std::size_t candidate) const {
    const Finalist* const one = finalist(candidate);
    if (one == nullptr) return evaluations_.at(candidate);
    return one->replicated.samples.overloaded() ? std::nullopt : one->replicated.samples.means();
  }

  [[nodiscard]] bool is(Verdict verdict, std::size_t candidate) const {
    const Finalist* const one = finalist(candidate);
    return one != nullptr && one->verdict == verdict;
  }

  // A point of the answer. Its intervals are those that it has already, such as the best's on the front.
  [[nodiscard]] PlanPoint plan_point(std::size_t candidate) {
    PlanPoint found = simulated(candidate);
    if (!control_.intervals) return found;
    PlanPoint& told = told_[candidate];
    if (told.values == found.values && told.replications == found.replications) return told;
    return told = with_intervals(candidate, std::move(found));
  }

  [[nodiscard]] PlanPoint with_intervals(std::size_t candidate, PlanPoint found) const {
    Goal goal = plan_.goal;
    std::vector<double> centres = found.values;
    const bool tokens = found.tokens && found.tokens->energy_mj;
    for (const char* const metric : {token_rate, token_energy}) {
      if (!tokens) break;
      goal.criteria.push_back({});
      goal.metrics.emplace_back(metric);
    }
    if (tokens) centres.insert(centres.end(), {*found.tokens->per_s, *found.tokens->energy_mj});
    const scenarios::Scenario scenario = candidates_.scenario(candidate);
    GoalTrust trust =
        goal_trust(goal, scenario, centres, candidates_.result_of(scenario), control_.interrupt);
    if (tokens) {
      found.tokens->energy_pi90 = trust.intervals.back();
      found.tokens->per_s_pi90 = *(trust.intervals.end() - 2);
      trust.intervals.resize(found.values.size());
    }
    found.intervals = std::move(trust.intervals);
    found.sharing_note = std::move(trust.sharing_note);
    return found;
  }

  // A result point without prediction intervals, which cost runs.
  [[nodiscard]] PlanPoint simulated(std::size_t candidate) {
    PlanPoint found;
    found.point = candidates_.study_point(candidate);
    found.settings = candidates_.values(candidate);
    found.values = *known(candidate);
    found.intervals.resize(plan_.goal.criteria.size());
    found.half_widths.resize(plan_.goal.criteria.size());
    found.dropped = candidates_.dropped(candidate);
    found.grade = candidates_.grade(candidate);
    found.power_grade = candidates_.power_grade(candidate);
    if (found.power_grade) {
      const scenarios::Scenario scenario = candidates_.scenario(candidate);
      powered_[scenario.device] = candidates_.profiles().required(scenario);
    }
    if (const auto rate = candidates_.value_of(candidate, token_rate)) {
      found.tokens = {rate, candidates_.value_of(candidate, token_energy)};
      found.power_grade = candidates_.grade_of_power(candidate);
    }
    if (const Finalist* const one = finalist(candidate)) {
      found.replications = one->replicated.samples.size();
      found.p_feasible = one->p_feasible;
      for (std::size_t i = 0; i < found.half_widths.size(); ++i) {
        const double half = one->replicated.samples.half_width(i, plan_.goal.confidence);
        if (std::isfinite(half)) found.half_widths[i] = half;
      }
    }
    return found;
  }

  // The best of the evaluated points for which `may` holds, by the best known values.
  template <typename May>
  [[nodiscard]] std::optional<std::size_t> best_where(const May& may) const {
    std::vector<Evaluation> evaluations;
    std::vector<std::size_t> points;
    for (const auto& [point, once] : evaluations_) {
      Evaluation values = once ? known(point) : std::nullopt;
      if (!values || !may(point, *values)) continue;
      points.push_back(point);
      evaluations.push_back(std::move(values));
    }
    const auto found = best_of(plan_.goal.criteria, evaluations, plan_.goal.indifference);
    return found ? std::optional(points[*found]) : std::nullopt;
  }

  void conclude() {
    if (const auto& least = candidates_.least_overloaded())
      plan_.least_overloaded = {candidates_.study_point(least->candidate),
                                candidates_.values(least->candidate), least->stable_share};
    const auto best = race_->best();
    add_near_misses(best);
    if (plan_.exhaustive && plan_.points <= few) add_every();
    if (!best) {
      add_missed_limits();
      plan_.verdict = verdict_of(plan_, {});
      return;
    }
    plan_.best = plan_point(*best);
    add_runner_up(*best);
    if (plan_.runner_up)
      plan_.runner_up_sentence = runner_up_sentence(plan_.goal, plan_.best->values, plan_.runner_up->values);
    add_alone(*best);
    plan_.next_better = next_better(*best, [](std::size_t) { return true; });
    add_neighbours(*best);
    add_overload(*best);
    add_at_headroom(*best);
    add_if_off(*best);
    add_energy(*best);
    if (plan_.goal.objectives > 1) add_front();
    for (std::size_t i = plan_.goal.objectives; i < plan_.goal.criteria.size(); ++i) relax(i, *best);
    plan_.verdict = verdict_of(plan_, [&](const AskedLimits& limits) {
      scenarios::RunControl control;
      control.interrupt = control_.interrupt;
      return breaks_of(candidates_.long_enough(*best), limits, control);
    });
  }

  void add_every() {
    for (const auto& [point, once] : evaluations_)
      if (known(point)) plan_.every.push_back(simulated(point));
    const double sign = plan_.goal.criteria[0].maximise ? -1 : 1;
    std::ranges::stable_sort(plan_.every, {}, [&](const PlanPoint& point) {
      return std::pair(!meets_limits(plan_.goal.criteria, point.values), sign * point.values[0]);
    });
  }

  // Adds what each dimension alone does to the first objective.
  void add_alone(std::size_t best) {
    std::map<std::size_t, double> values;
    for (const auto& [point, once] : evaluations_)
      if (const Evaluation here = once ? known(point) : std::nullopt) values.emplace(point, here->front());
    const auto& overloaded = candidates_.overloaded();
    for (const auto& [point, one] : overloaded)
      if (one.objectives.front()) values.emplace(point, *one.objectives.front());
    const std::vector<AloneEffect> effects = effects_alone(candidates_.space(), plan_.goal.criteria.front(),
                                                           values, best, plan_.goal.indifference);
    for (const AloneEffect& effect : effects)
      plan_.alone.push_back({candidates_.study_point(effect.point), candidates_.values(effect.point),
                             effect.value, overloaded.contains(effect.point)});
    if (!effects.empty()) plan_.alone.front().why = why_worse(best, effects.front().point);
  }

  // The reasons in one run of each of two points.
  [[nodiscard]] std::vector<std::string> why_worse(std::size_t best, std::size_t other) const {
    const scenarios::Scenario a = candidates_.scenario(best), b = candidates_.scenario(other);
    return causes_for(plan_.goal.metrics.front(),
                      compared(a, b, {candidates_.result_of(a)}, {candidates_.result_of(b)}),
                      {"the best setting", "it"});
  }

  // The point, among those for which `may` holds, that is better than the best and misses the limits by
  // least.
  template <typename May>
  [[nodiscard]] std::optional<NextBetter> next_better(std::size_t best, const May& may) const {
    const std::vector<double> of_best = *known(best);
    // An overloaded point misses by more than any that keeps up: its latency grows without bound.
    std::pair least{true, std::numeric_limits<double>::infinity()};
    std::optional<std::pair<std::size_t, NextBetter>> found;
    const auto consider = [&](std::size_t point, const std::vector<scenarios::Metric>& objectives,
                              NextBetter next) {
      const auto objective = better_objective(plan_.goal, objectives, of_best);
      const std::pair by{next.stable_share.has_value(), next.by};
      if (!objective || by >= least || !may(point)) return;
      least = by;
      next.objective = *objective;
      next.value = *objectives[*objective];
      next.gain = std::abs(next.value / of_best[*objective] - 1);
      found = {point, std::move(next)};
    };
    for (const auto& [point, once] : evaluations_) {
      const Evaluation values = once ? known(point) : std::nullopt;
      if (!values || is(Verdict::feasible, point)) continue;
      NextBetter next = missed_by(*values);
      if (!next.limit && finalist(point) == nullptr) continue;
      if (const Finalist* const one = finalist(point)) next.p_feasible = one->p_feasible;
      consider(point, {values->begin(), values->begin() + static_cast<std::ptrdiff_t>(plan_.goal.objectives)},
               std::move(next));
    }
    for (const auto& [point, one] : candidates_.overloaded())
      if (one.stable_share) consider(point, one.objectives, overloaded_by(*one.stable_share));
    if (!found) return std::nullopt;
    auto& [point, next] = *found;
    next.point = candidates_.study_point(point);
    next.settings = candidates_.values(point);
    if (next.stable_share) next.shortage = shortage_in(candidates_.result_of(candidates_.scenario(point)));
    return std::move(next);
  }

  void add_neighbours(std::size_t best) {
    const Goal& goal = plan_.goal;
    const SearchSpace& space = candidates_.space();
    const std::vector<double> of_best = *known(best);
    const auto change = [&](const std::vector<double>& values, std::size_t i) {
      return of_best[i] == 0 ? 0 : values[i] / of_best[i] - 1;
    };
    std::optional<std::size_t> first;  // a candidate that is worse
    for (std::size_t d = 0; d < space.dimensions().size(); ++d) {
      const auto along = [&](std::size_t point) { return only_difference(space[best], space[point]) == d; };
      if (const auto next = next_better(best, along)) {
        plan_.neighbours.push_back({next->settings, sentence_of(goal, *next), true, next->gain});
        continue;
      }
      const auto second = best_where([&](std::size_t point, const std::vector<double>& values) {
        return along(point) && meets_limits(goal.criteria, values) &&
               differs(values, of_best, goal.indifference);
      });
      if (!second) continue;
      const std::vector<double> values = *known(*second);
      std::size_t i = 0;
      while (i + 1 < goal.objectives && std::abs(change(values, i)) <= goal.indifference) ++i;
      const double by = change(values, i);
      if (std::abs(by) <= goal.indifference) continue;
      if (plan_.neighbours.empty() || std::abs(by) > plan_.neighbours.front().change) first = second;
      plan_.neighbours.push_back(
          {candidates_.values(*second),
           fmt::format("{} {}, {} {}", goal.title(goal.metrics[i]), metric_words(goal.metrics[i], values[i]),
                       percent_words(by), by > 0 ? "more" : "less"),
           false, std::abs(by)});
    }
    std::ranges::stable_sort(plan_.neighbours, std::greater{},
                             [](const PlanNeighbour& one) { return std::pair(one.better, one.change); });
    if (first && !plan_.neighbours.front().better) plan_.why_neighbour = why_worse(best, *first);
  }

  [[nodiscard]] static NextBetter overloaded_by(double stable_share) {
    NextBetter next;
    next.by = 1 / stable_share - 1;
    next.stable_share = stable_share;
    return next;
  }

  // The limit that the values miss most, and by how much; no limit if they miss none.
  [[nodiscard]] NextBetter missed_by(const std::vector<double>& values) const {
    NextBetter next;
    next.limit = most_missed(plan_.goal, values);
    if (!next.limit) return next;
    next.limit_value = values[*next.limit];
    next.by = violation(plan_.goal.criteria[*next.limit], next.limit_value);
    for (std::size_t i = plan_.goal.objectives; i < plan_.goal.criteria.size(); ++i)
      if (i != *next.limit && violation(plan_.goal.criteria[i], values[i]) > 0) ++next.more_limits;
    return next;
  }

  // Adds how far the best point is from overload.
  void add_overload(std::size_t best) {
    const scenarios::Scenario scenario = candidates_.long_enough(best);
    const auto load = load_of(scenario);
    if (!load || scenario.run.batches) return;
    plan_.overload = distance_to_overload(
        *load, [&](std::int64_t count) { return candidates_.result_of(at_load(scenario, *load, count)); });
    OverloadDistance& distance = *plan_.overload;
    std::vector<std::string> limits;
    for (std::size_t i = plan_.goal.objectives; i < plan_.goal.metrics.size(); ++i)
      if (plan_.goal.metrics[i] != headroom_metric) limits.push_back(plan_.goal.title(plan_.goal.metrics[i]));
    if (limits.empty() || distance.carries < load->asked) return;
    distance.limits = input::listed(limits);
    std::int64_t kept = load->asked, over = distance.carries + 1;
    while (over - kept > 1) {
      const std::int64_t tried = (kept + over) / 2;
      const auto at = limits_at(at_load(scenario, *load, tried));
      (at && !at->missed ? kept : over) = tried;
    }
    distance.within = kept;
  }

  // The limits besides headroom with these requests, in words, in one run: "p99 latency is 49 ms, under the
  // limit of 80 ms"; `missed`: whether one is. None: the board does not keep up.
  struct AtRate {
    std::string words;
    bool missed = false;
  };
  [[nodiscard]] std::optional<AtRate> limits_at(const scenarios::Scenario& scenario) const {
    const Evaluation values = values_in(plan_.goal, ResultMetrics(candidates_.result_of(scenario)));
    if (!values) return std::nullopt;
    if (const auto missed = most_missed(plan_.goal, *values))
      return AtRate{missed_words(plan_.goal, *missed, (*values)[*missed]), true};
    AtRate found;
    for (std::size_t i = plan_.goal.objectives; i < values->size(); ++i)
      if (const std::string& metric = plan_.goal.metrics[i]; metric != headroom_metric)
        found.words += fmt::format("{}{} is {}", found.words.empty() ? "" : ", ", plan_.goal.title(metric),
                                   metric_words(metric, (*values)[i]));
    return found;
  }

  // Adds what becomes of the limits with as many more requests as the headroom stands for.
  void add_at_headroom(std::size_t best) {
    const double headroom = candidates_.settings().headroom;
    const double more = more_requests(headroom);
    if (headroom == 0) return;
    const auto at = limits_at(at_rate(candidates_.long_enough(best), 1 + more));
    if (!at) return;  // one run is not the mean of the replications
    plan_.at_headroom = fmt::format("with {} more requests, the headroom of {}, it keeps up",
                                    percent_words(more), percent_words(headroom));
    if (!at->words.empty()) plan_.at_headroom += (at->missed ? ", but " : " and ") + at->words;
  }

  // Adds what becomes of the limits, and of what arrives, if the model is off by its usual error.
  void add_if_off(std::size_t best) {
    if (plan_.goal.criteria.size() == plan_.goal.objectives && !plan_.overload) return;
    const scenarios::Scenario scenario = candidates_.long_enough(best);
    const GradedPoint point{scenario, plan_.best->values, scenarios::usual_error_share(plan_.best->grade),
                            scenarios::usual_error_share(plan_.best->power_grade.value_or("")),
                            plan_.overload ? scenarios::Metric(plan_.overload->free_share()) : std::nullopt};
    plan_.if_off =
        if_off(plan_.goal, point, [&](const auto& slower) { return candidates_.result_of(slower); });
  }

  // Adds the energy of the best point and its cost.
  void add_energy(std::size_t best) {
    const auto value = [&](const char* metric) -> scenarios::Metric {
      const auto at = static_cast<std::size_t>(std::ranges::find(plan_.goal.metrics, metric) -
                                               plan_.goal.metrics.begin());
      return at < plan_.goal.metrics.size() ? scenarios::Metric(plan_.best->values[at])
                                            : candidates_.value_of(best, metric);
    };
    const scenarios::Metric watts = value("system.power_w");
    if (!watts) return;
    EnergyCost energy{.power_w = *watts,
                      .per_image_mj = value("system.energy_per_image_mj"),
                      .per_token_mj = value(token_energy),
                      .per_day = {},
                      .per_million = {},
                      .per_million_tokens = {},
                      .counts_images = has_network(candidates_.scenario(best)),
                      .grade = candidates_.grade_of_power(best)};
    if (const double price = candidates_.settings().energy_usd_per_kwh; price > 0) {
      constexpr double mj_per_kwh = 3.6e9, million = 1e6;
      energy.per_day = energy.kwh_day() * price;
      if (energy.per_image_mj) energy.per_million = *energy.per_image_mj * million / mj_per_kwh * price;
      if (energy.per_token_mj)
        energy.per_million_tokens = *energy.per_token_mj * million / mj_per_kwh * price;
    }
    plan_.energy = energy;
  }

  // Adds the best feasible point that differs from the best one.
  void add_runner_up(std::size_t best) {
    constexpr int most_tries = 8;
    constexpr std::size_t steps = 3;
    const std::string configuration = candidates_.configuration(best);
    const std::vector<double> values = *known(best);
    for (int i = 0; i < most_tries; ++i) {
      const auto second = best_where([&](std::size_t point, const auto& others) {
        return (finalist(point) == nullptr || is(Verdict::feasible, point)) &&
               differs(others, values, plan_.goal.indifference) && !is_adjacent_on_scale(point, best) &&
               candidates_.configuration(point) != configuration;
      });
      if (!second) return;
      if (is(Verdict::feasible, *second)) {
        plan_.runner_up = plan_point(*second);
        return;
      }
      race_->decide({*second}, steps);
    }
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

  // Points that would be better than the best if they were feasible, the likeliest first.
  void add_near_misses(std::optional<std::size_t> best) {
    constexpr std::size_t most = 5;
    std::vector<std::size_t> points;
    for (const auto& [point, one] : race_->finalists()) {
      const Evaluation values = known(point);
      if (one.verdict == Verdict::feasible || !values) continue;
      const Criterion& first = plan_.goal.criteria[0];
      const double gain = best ? (first.maximise ? 1 : -1) * ((*values)[0] - (*known(*best))[0]) : 1;
      if (gain > 0) points.push_back(point);
    }
    std::ranges::stable_sort(points, std::greater{}, [&](std::size_t point) {
      return std::pair(finalist(point)->p_feasible, -largest_violation(point));
    });
    points.resize(std::min(points.size(), most));
    for (const std::size_t point : points) {
      plan_.near_misses.push_back({plan_point(point), is(Verdict::infeasible, point)});
    }
  }

  [[nodiscard]] double largest_violation(std::size_t point) const {
    double worst = 0;
    const std::vector<double> values = *known(point);
    for (std::size_t i = plan_.goal.objectives; i < plan_.goal.criteria.size(); ++i)
      worst = std::max(worst, violation(plan_.goal.criteria[i], values[i]));
    return worst;
  }

  void add_front() {
    constexpr std::size_t steps = 3;
    std::vector<std::size_t> points;
    for (const auto& [point, once] : evaluations_)
      if (once && (finalist(point) == nullptr || !is(Verdict::infeasible, point))) points.push_back(point);
    const bool exact = race_->is_exact();
    points = exact ? exact_front(points) : near_front(std::move(points));
    if (!exact) race_->decide(points, steps, steps);
    std::vector<FrontPoint> found;
    for (const std::size_t point : points) {
      const Finalist* const one = finalist(point);
      const Evaluation values = known(point);
      if (!values || (one != nullptr && one->verdict != Verdict::feasible)) continue;
      found.push_back({point, *values, exact ? nullptr : &one->replicated.samples});
    }
    for (const FrontPoint& one : front_beyond_noise(plan_.goal, std::move(found)))
      plan_.front.push_back(plan_point(one.point));
  }

  [[nodiscard]] std::vector<std::size_t> exact_front(const std::vector<std::size_t>& points) const {
    std::vector<Evaluation> evaluations;
    for (const std::size_t point : points) evaluations.push_back(known(point));
    std::vector<std::size_t> found;
    for (const std::size_t i : front_of(plan_.goal.criteria, evaluations)) found.push_back(points[i]);
    return found;
  }

  // The points that only noise may keep from the front, one of each configuration; at most `most`, evenly
  // spread.
  [[nodiscard]] std::vector<std::size_t> near_front(std::vector<std::size_t> points) const {
    constexpr std::size_t most = 64;
    constexpr double sigmas = 3;
    const Goal& goal = plan_.goal;
    const auto better = [&](std::size_t i, double a, double b) {
      return (goal.criteria[i].maximise ? a - b : b - a) / std::max(std::abs(b), 1e-12);
    };
    const auto dominates = [&](const std::vector<double>& a, const std::vector<double>& b) {
      for (std::size_t i = 0; i < goal.objectives; ++i)
        if (better(i, a[i], b[i]) < sigmas * race_->noise(i) + goal.indifference) return false;
      return true;
    };
    std::set<std::string> configurations;
    std::vector<std::size_t> found;
    for (const std::size_t point : points) {
      const std::vector<double>& values = *evaluations_.at(point);
      if (!is(Verdict::feasible, point) && !meets_limits(goal.criteria, values)) continue;
      if (std::ranges::any_of(points, [&](std::size_t other) {
            return !is(Verdict::infeasible, other) && meets_limits(goal.criteria, *evaluations_.at(other)) &&
                   dominates(*evaluations_.at(other), values);
          }))
        continue;
      if (configurations.insert(candidates_.configuration(point)).second) found.push_back(point);
    }
    std::ranges::stable_sort(found, {}, [&](std::size_t point) { return evaluations_.at(point)->front(); });
    if (found.size() <= most) return found;
    std::vector<std::size_t> spread;
    for (std::size_t i = 0; i < most; ++i) spread.push_back(found[i * (found.size() - 1) / (most - 1)]);
    return spread;
  }

  void relax(std::size_t limit, std::size_t best) {
    std::vector<Criterion> criteria = plan_.goal.criteria;
    const Criterion strict = criteria[limit];
    criteria.erase(criteria.begin() + static_cast<std::ptrdiff_t>(limit));
    std::vector<Evaluation> evaluations;
    std::vector<std::size_t> points;
    for (const auto& [point, once] : evaluations_) {
      Evaluation others = once ? known(point) : std::nullopt;
      if (!others) continue;
      others->erase(others->begin() + static_cast<std::ptrdiff_t>(limit));
      points.push_back(point);
      evaluations.push_back(std::move(others));
    }
    const auto found = best_of(criteria, evaluations, plan_.goal.indifference);
    if (!found) return;
    race_->decide({points[*found]}, 1);
    const Evaluation values = known(points[*found]);
    if (!values) return;
    const double before = (*known(best))[0], after = (*values)[0];
    const double gain = criteria[0].maximise ? after - before : before - after;
    if (meets_limits({strict}, {(*values)[limit]}) || gain <= plan_.goal.indifference * std::abs(before))
      return;
    plan_.relaxed.push_back({limit, (*values)[limit], plan_point(points[*found])});
  }

  void add_missed_limits() {
    for (std::size_t i = plan_.goal.objectives; i < plan_.goal.criteria.size(); ++i) {
      const Criterion& criterion = plan_.goal.criteria[i];
      std::optional<double> nearest;
      for (const auto& [point, once] : evaluations_) {
        const Evaluation values = once ? known(point) : std::nullopt;
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
  Race* race_ = nullptr;
  std::map<std::size_t, PlanPoint> told_;  // by candidate
  PoweredBoards powered_;                  // for points of the answer, if the goal rests on power
};

}  // namespace

bool check_margins(const Study& study, const Candidates& candidates, input::Problems& problems) {
  const input::Cursor document(study.document, "", problems);
  if (study.fleet && study.plan.headroom > 0) {
    document.descend("plan.headroom")
        .problem("headroom of a fleet is a key of fleet", "fleet: {headroom: 20 %}");
    return false;
  }
  if (study.fleet && study.plan.energy_usd_per_kwh > 0) {
    document.descend("plan.energy_price")
        .problem("energy_price of a fleet is a key of fleet", "fleet: {energy_price: 0.2 USD/kWh}");
    return false;
  }
  if (study.plan.headroom == 0) return true;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (load_of(candidates.scenario(i))) return true;
  document.descend("plan.headroom")
      .problem("no process has requests that arrive by themselves, so nothing is asked for",
               "give them arrivals, such as arrivals: {periodic: 30 /s}");
  return false;
}

Plan plan(Candidates& candidates, const PlanControl& control) {
  return Planner(candidates, control).make();
}

}  // namespace jostle::analyses
