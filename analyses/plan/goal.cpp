#include "analyses/plan/goal.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyses/interval/interval.hpp"
#include "analyses/plan/overload.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/grades.hpp"

namespace jostle::analyses {
namespace {

Worst worst_of(const Criterion& criterion) {
  return criterion.maximise ? Worst::least : Worst::greatest;
}

// True for rates of decode steps, and for the mean time between tokens, which is one over such a rate.
// Nothing is known of the error of prefills and of tails.
bool is_token_rate(const std::string& metric) {
  for (const char* const rate :
       {".decode_per_s", ".decode_per_s.mean", ".tokens_per_s", "system.tokens.per_s",
        "system.tokens.per_s.mean", ".itl_ms", ".itl_ms.mean", ".itl_ms.p50"})
    if (metric.ends_with(rate)) return true;
  return false;
}

// The half-width of the model error of a metric; none if unknown.
scenarios::Metric known_half_width(const std::string& metric, const UncertainProfile& profile,
                                   const std::string& basis, double octaves) {
  const auto of = [&](const char* quantity) -> scenarios::Metric {
    const auto error = beyond_tables(
        residual_for(profile.uncertainty, profile.base.profile.spec->name, quantity, basis), octaves);
    return error ? scenarios::Metric(error->half_width) : std::nullopt;
  };
  for (const char* const tail : {"latency_ms.p90", "latency_ms.p95", "latency_ms.p99"})
    if (metric.find(tail) != std::string::npos) return of("latency p99");
  // Energy is power over a rate, so their errors add in quadrature.
  const auto energy = [&of](const char* rate) -> scenarios::Metric {
    const scenarios::Metric a = of(rate), b = of("power");
    return a && b ? scenarios::Metric(std::hypot(*a, *b)) : std::nullopt;
  };
  if (metric.find("tokens.") != std::string::npos) {
    if (metric.ends_with("energy_mj") || metric.ends_with("per_joule")) return energy("tokens");
    return is_token_rate(metric) ? of("tokens") : std::nullopt;
  }
  for (const char* const quantity : {"throughput", "latency", "power"})
    if (metric.find(quantity) != std::string::npos) return of(quantity);
  return metric.find("energy") != std::string::npos ? energy("throughput") : std::nullopt;
}

// The process whose throughput this is; null for the throughput of the system.
const scenarios::ProcessResult* process_with(const scenarios::Result& result, const std::string& metric,
                                             double throughput) {
  if (!metric.starts_with("processes")) return nullptr;
  const auto found =
      std::ranges::find_if(result.processes, [throughput](const scenarios::ProcessResult& process) {
        return process.throughput.mean == throughput;
      });
  return found != result.processes.end() ? &*found : nullptr;
}

}  // namespace

Goal goal_of(const Study& study) {
  Goal goal;
  for (const Objective& objective : study.objectives) {
    goal.criteria.push_back({objective.maximise, std::nullopt});
    goal.metrics.push_back(objective.metric);
  }
  goal.objectives = goal.criteria.size();
  goal.indifference = study.plan.indifference;
  goal.confidence = study.plan.confidence;
  for (const Constraint& constraint : study.constraints) {
    if (constraint.min) {
      goal.criteria.push_back({true, constraint.min});
      goal.metrics.push_back(constraint.metric);
    }
    if (constraint.max) {
      goal.criteria.push_back({false, constraint.max});
      goal.metrics.push_back(constraint.metric);
    }
  }
  limit_headroom(goal, study.plan.headroom);
  return goal;
}

void limit_headroom(Goal& goal, double headroom) {
  if (headroom == 0) return;
  goal.criteria.push_back({true, headroom});
  goal.metrics.emplace_back(headroom_metric);
}

double add_headroom(const Goal& goal, Evaluation& values, const HeadroomRun& of) {
  const auto at =
      static_cast<std::size_t>(std::ranges::find(goal.metrics, headroom_metric) - goal.metrics.begin());
  if (!values || at == goal.metrics.size()) return 0;
  const Headroom found = headroom_of(of.scenario, of.profile, *goal.criteria[at].limit, of.control);
  (*values)[at] = found.share;
  return found.simulated_s;
}

Evaluation values_in(const Goal& goal, const ResultMetrics& metrics) {
  if (metrics.overloaded()) return std::nullopt;
  std::vector<double> values;
  for (std::size_t i = 0; i < goal.criteria.size(); ++i) {
    if (goal.metrics[i] == headroom_metric) {
      values.push_back(*goal.criteria[i].limit);
      continue;
    }
    const scenarios::Metric value = metrics.find(goal.metrics[i], worst_of(goal.criteria[i]));
    if (!value && i + goal.may_be_absent < goal.criteria.size()) return std::nullopt;
    values.push_back(value.value_or(0));
  }
  return values;
}

Evaluation values_in(const Goal& goal, const Outcome& outcome) {
  if (outcome.status != PointStatus::ok) return std::nullopt;
  return values_in(goal, ResultMetrics(outcome.result));
}

bool is_too_short(const Goal& goal, const ResultMetrics& metrics) {
  if (metrics.overloaded()) return false;
  for (std::size_t i = 0; i < goal.criteria.size(); ++i) {
    if (goal.metrics[i] == headroom_metric) continue;
    const std::string unit = metric_unit(goal.metrics[i]).name;
    if ((unit == "ms" || unit == "images/s") && !metrics.find(goal.metrics[i], worst_of(goal.criteria[i])))
      return true;
  }
  return false;
}

GoalTrust goal_trust(const Goal& goal, const scenarios::Scenario& scenario, const std::vector<double>& around,
                     const scenarios::Result& point, const std::atomic<bool>* interrupt) {
  input::Problems problems;
  const auto known = uncertain_profile(scenario, problems);
  if (!known) throw scenarios::RunError(problems.text());
  scenarios::RunControl control;
  control.interrupt = interrupt;
  control.every_percentile = true;
  const auto runs = drawn_runs(scenario, *known, point, control, Sought::ends);
  if (!runs) throw scenarios::Interrupted();
  const std::string basis = weakest_basis(point, scenario, known->base.profile);
  const double octaves = furthest_batch(scenario, known->base.profile);
  const Evaluation here = values_in(goal, ResultMetrics(point));
  std::vector<MetricRuns> metric_runs(goal.criteria.size());
  const auto add = [&](const std::vector<scenarios::Result>& results,
                       std::vector<scenarios::Metric> MetricRuns::*to) {
    for (const scenarios::Result& result : results) {
      const Evaluation values = values_in(goal, ResultMetrics(result));
      for (std::size_t i = 0; i < metric_runs.size(); ++i)
        (metric_runs[i].*to).push_back(values ? scenarios::Metric((*values)[i]) : std::nullopt);
    }
  };
  add(runs->drawn, &MetricRuns::drawn);
  add(runs->repeated, &MetricRuns::repeated);
  std::vector<scenarios::Interval> intervals(goal.criteria.size());
  for (std::size_t i = 0; here && i < goal.criteria.size(); ++i) {
    const scenarios::Metric half_width = known_half_width(goal.metrics[i], *known, basis, octaves);
    metric_runs[i].point = (*here)[i];
    const Spread spread = spread_of(metric_runs[i], runs->draws, runs->as_long);
    if (!half_width || !spread.known || !(around[i] > 0)) continue;
    intervals[i] = interval_around(around[i], spread, *half_width);
    if (goal.metrics[i].find("throughput") != std::string::npos)
      intervals[i] =
          possible_throughput(intervals[i], point, process_with(point, goal.metrics[i], (*here)[i]));
    if (goal.metrics[i].starts_with(token_rate)) intervals[i] = possible_tokens(intervals[i], point);
    // The run that bounds it has a number of requests of its own.
    if (intervals[i])
      intervals[i] =
          std::pair(std::min(intervals[i]->first, around[i]), std::max(intervals[i]->second, around[i]));
  }
  return {std::move(intervals), scenarios::sharing_note(point), scenarios::lowest(point)};
}

}  // namespace jostle::analyses
