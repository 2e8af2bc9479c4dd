// The goal of a study as criteria of a search: its objectives in order, then the limits from its constraints.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyses/metrics/metric.hpp"
#include "analyses/study/outcome.hpp"
#include "analyses/study/study.hpp"

namespace jostle::scenarios {
struct RunControl;
struct Scenario;
}  // namespace jostle::scenarios
namespace jostle::profiles {
struct Profile;
}

namespace jostle::analyses {

// An objective (maximise or minimise a metric) or a limit on a metric.
struct Criterion {
  bool maximise = true;
  std::optional<double> limit;  // lower bound if `maximise`, else upper bound; none: an objective
};

// The simulated values of a point, one per criterion; none if the point has no result.
using Evaluation = std::optional<std::vector<double>>;

// Returns whether the values meet all limits.
[[nodiscard]] bool meets_limits(const std::vector<Criterion>& criteria, const std::vector<double>& values);

// The relative amount by which a value misses the limit of the criterion; 0 or less if it meets the limit.
[[nodiscard]] double violation(const Criterion& criterion, double value);

// The best evaluation that meets the limits, by lexicographic order of the objectives: values within
// `indifference` (relative) of the best count as equal, and the next objective decides.
inline constexpr double tie = 0.01;
[[nodiscard]] std::optional<std::size_t> best_of(const std::vector<Criterion>& criteria,
                                                 const std::vector<Evaluation>& evaluations,
                                                 double indifference = tie);

// The Pareto front: evaluations that meet the limits and are not dominated (of equal ones the first). Sorted
// by the first objective, best first.
[[nodiscard]] std::vector<std::size_t> front_of(const std::vector<Criterion>& criteria,
                                                const std::vector<Evaluation>& evaluations);

// The number of criteria that are objectives.
[[nodiscard]] std::size_t objectives(const std::vector<Criterion>& criteria);

// The metric of the limit that `headroom` sets. It is no metric of a result: headroom_of() measures it by a
// run of its own, and it is never above the limit.
inline constexpr const char* headroom_metric = "headroom";

// The metrics of all language models together that points are shown with.
inline constexpr const char* token_rate = "system.tokens.per_s";
inline constexpr const char* token_energy = "system.tokens.energy_mj";

struct Goal {
  std::vector<Criterion> criteria;
  std::vector<std::string> metrics;     // the metric path of each criterion
  std::size_t objectives = 0;           // number of objectives; they come first
  std::size_t may_be_absent = 0;        // number of last metrics that may be absent; they count as 0 then
  double indifference = tie;            // relative difference within which objectives count as equal
  double confidence = 0.95;             // probability that the answer meets the limits, and is the best
  std::vector<std::string> names = {};  // the processes'; empty where the number of a process varies

  // The metric as a reader calls it: "people p99"; metric_title() where no one process has the name.
  [[nodiscard]] std::string title(const std::string& metric) const;
};
[[nodiscard]] Goal goal_of(const Study& study);
// Adds the limit on headroom, unless it is 0.
void limit_headroom(Goal& goal, double headroom);

// A scenario whose headroom is measured.
struct HeadroomRun {
  const scenarios::Scenario& scenario;
  const profiles::Profile& profile;
  const scenarios::RunControl& control;
};

// The values of the goal's metrics in a result; none if one is absent, or if the backlog of a process grows.
// Among several processes the worst counts. Headroom counts as kept; add_headroom() measures it.
[[nodiscard]] Evaluation values_in(const Goal& goal, const ResultMetrics& metrics);
[[nodiscard]] Evaluation values_in(const Goal& goal, const Outcome& outcome);  // none unless ok
// Sets the headroom of a scenario in its values, if the goal limits it (headroom_of()). Returns the simulated
// seconds.
double add_headroom(const Goal& goal, Evaluation& values, const HeadroomRun& of);
// Returns whether the result lacks a time (such as a latency percentile) or a throughput of the goal although
// no backlog grows, so that a longer run may have it.
[[nodiscard]] bool is_too_short(const Goal& goal, const ResultMetrics& metrics);

// The uncertainty of the metrics at one point.
struct GoalTrust {
  std::vector<scenarios::Interval> intervals;  // prediction intervals: throughput, latency, power, energy
  std::string sharing_note;                    // scenarios::sharing_note()
  std::string grade;                           // scenarios::lowest()
};
// `values`: the values of the metrics, around which the intervals are; `point`: the result of the scenario,
// with all percentiles. Simulates draws of the profile. Throws RunError, Interrupted.
[[nodiscard]] GoalTrust goal_trust(const Goal& goal, const scenarios::Scenario& scenario,
                                   const std::vector<double>& values, const scenarios::Result& point,
                                   const std::atomic<bool>* interrupt);

}  // namespace jostle::analyses
