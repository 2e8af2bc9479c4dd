#include "analyses/plan/replicator.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "analyses/metrics/metric.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/parallel.hpp"
#include "scenarios/run/replications.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::analyses {
namespace {

constexpr double longest_s = 1e6;  // limit per run

// The scenario of a run of a step. `number`: index of the run over all steps.
scenarios::Scenario replication(const scenarios::Scenario& scenario, double length, std::uint64_t number) {
  scenarios::Scenario one = lengthened(scenario, length);
  one.run.seed = scenarios::replication_seed(scenario.run.seed, number);
  one.run.replications = 1;
  return one;
}

// The outcome of a run.
struct Said {
  double length_s = 0;
  Evaluation values;
  bool overloaded = false;
};

}  // namespace

scenarios::Scenario lengthened(const scenarios::Scenario& scenario, double length) {
  scenarios::Scenario one = scenario;
  const auto longer = [length](sim::Duration duration) {
    return sim::seconds(std::min(longest_s, length * sim::to_seconds(duration)));
  };
  if (length <= 1 || one.run.batches) return one;
  one.run.duration = longer(one.run.duration);
  if (one.run.until) {
    one.run.until->max = longer(one.run.until->max);
    one.run.until->relative_error /= std::sqrt(length);
  }
  return one;
}

std::optional<double> next_length(double length, const scenarios::Result& result) {
  constexpr double most = 64, least_growth = 1.5, usual_growth = 4, most_growth = 16;
  const double needed = ResultMetrics(result).needed_s();
  const double growth = needed > 0 && result.simulated_s > 0
                            ? std::clamp(needed / result.simulated_s, least_growth, most_growth)
                            : usual_growth;
  return length * growth <= most ? std::optional(length * growth) : std::nullopt;
}

void Replicator::step(const std::vector<Replicated*>& these) const {
  struct Run {
    Replicated* of;
    double length;
    std::uint64_t number;
  };
  std::vector<Run> runs;
  for (Replicated* const one : these) {
    const Step& step = replication_steps.at(one->steps++);
    // Number 0 is the scenario's own run.
    for (std::size_t i = 0; i < step.runs; ++i) runs.push_back({one, step.length, 1 + i});
    std::uint64_t before = 0;
    for (std::size_t earlier = 0; earlier + 1 < one->steps; ++earlier)
      before += replication_steps.at(earlier).runs;
    for (std::size_t i = runs.size() - step.runs; i < runs.size(); ++i) runs[i].number += before;
  }
  std::vector<Said> said(runs.size());
  scenarios::parallel_for(
      runs.size(),
      [&](std::size_t i) {
        const scenarios::Scenario one = replication(runs[i].of->scenario, runs[i].length, runs[i].number);
        const auto profile = profiles.required(one);
        const auto work = profiles.work(*profile);
        scenarios::RunControl control;
        control.shared = work.get();
        control.interrupt = interrupt;
        control.every_percentile = true;
        control.all_must_fit = true;
        control.among = scenarios::Among::repetitions;
        const auto result = run(one, *profile, control);
        if (!result) throw scenarios::Interrupted();
        if (result->status != "ok") return;
        const ResultMetrics metrics(*result);
        said[i] = {result->simulated_s, values_in(goal, metrics), metrics.overloaded()};
        add_headroom(goal, said[i].values, {one, *profile, control});
      },
      threads);
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i].of->samples.add(said[i].length_s, std::move(said[i].values), said[i].overloaded);
}

double cost_of_step(const Replicated& one) {
  const auto of = [](const Step& step) { return static_cast<double>(step.runs) * step.length; };
  double before = 0;
  for (std::size_t i = 0; i < one.steps; ++i) before += of(replication_steps.at(i));
  const double run_s = before > 0 ? one.samples.simulated_s() / before
                                  : sim::to_seconds(one.scenario.run.until ? one.scenario.run.until->max
                                                                           : one.scenario.run.duration);
  return run_s * of(replication_steps.at(one.steps));
}

}  // namespace jostle::analyses
