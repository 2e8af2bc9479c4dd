// The conclusions from the points of a sweep.
#include <fmt/format.h>

#include <vector>

#include "analyses/metrics/metric.hpp"
#include "analyses/plan/goal.hpp"
#include "analyses/plan/plan.hpp"
#include "cli/sweep/study_page.hpp"
#include "input/counted.hpp"
#include "output/json.hpp"

namespace jostle::cli {

namespace {

// The goal of a study; without objectives the greatest throughput.
analyses::Goal goal_or_throughput(const analyses::Study& study) {
  analyses::Goal goal = goal_of(study);
  if (goal.objectives > 0) return goal;
  goal.criteria.insert(goal.criteria.begin(), analyses::Criterion{});
  goal.metrics.insert(goal.metrics.begin(), "system.throughput");
  goal.objectives = 1;
  return goal;
}

}  // namespace

Conclusion conclusion_of(const analyses::Study& study, analyses::Database& database) {
  constexpr std::int64_t most = 20'000;  // points whose results are read again
  if (database.number("SELECT count(*) FROM results") > most) return {};
  analyses::Plan plan;
  plan.goal = goal_or_throughput(study);
  std::vector<analyses::Evaluation> evaluations;
  std::vector<std::string> settings;
  std::vector<std::int64_t> points;
  std::size_t grows = 0, too_short = 0;
  analyses::SqlStatement rows(
      database,
      "SELECT point, settings, status, result FROM points JOIN outcomes USING (key) ORDER BY point");
  while (rows.step()) {
    if (rows.text(2) != "ok") continue;
    const analyses::ResultMetrics metrics{std::string(rows.text(3))};
    const bool p99 = metrics.find("processes.latency_ms.p99", analyses::Worst::greatest).has_value();
    (metrics.overloaded() ? grows : too_short) += p99 ? 0 : 1;
    evaluations.push_back(values_in(plan.goal, metrics));
    points.push_back(rows.integer(0));
    settings.emplace_back(rows.text(1));
  }
  Conclusion found;
  if (grows + too_short > 0)
    found.text =
        fmt::format("{} without p99: {} overloaded, of {} the run is too short (a longer run.duration)\n",
                    input::counted(grows + too_short, "point"), grows, too_short);
  if (evaluations.empty()) return found;
  if (const auto best = best_of(plan.goal.criteria, evaluations, plan.goal.indifference)) {
    plan.best.emplace();
    plan.best->settings = settings[*best];
    plan.best->values = *evaluations[*best];
    plan.best->intervals.resize(plan.best->values.size());
    found.point = points[*best];
  }
  found.verdict = verdict_of(plan, {});
  found.text += (plan.best ? "best: " : "") + found.verdict->text + "\n";
  return found;
}

}  // namespace jostle::cli
