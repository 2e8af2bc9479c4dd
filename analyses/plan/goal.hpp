// The goal of a study as criteria of a search: its objectives in order, then the limits of its constraints.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "analyses/plan/criteria.hpp"
#include "analyses/study/metric.hpp"
#include "analyses/study/outcome.hpp"
#include "analyses/study/study.hpp"

namespace jostle::scenarios {
struct Scenario;
}

namespace jostle::analyses {

struct Goal {
  std::vector<Criterion> criteria;
  std::vector<std::string> metrics;  // the metric path of each criterion
  std::size_t objectives = 0;        // number of objectives; they come first
  std::size_t may_be_absent = 0;     // of the last metrics; then 0
  double indifference = tie;         // objectives closer than this, relative, count as equal
  double confidence = 0.95;          // that the answer meets the limits, and is the best
};
[[nodiscard]] Goal goal_of(const Study& study);

// The metrics of the goal in a result; none if one is absent, or if the backlog of a process grows. Of
// several processes the worst counts.
[[nodiscard]] Evaluation values_in(const Goal& goal, const ResultMetrics& metrics);
[[nodiscard]] Evaluation values_in(const Goal& goal, const Outcome& outcome);  // none unless ok
// Whether a time of the goal, such as a percentile of the latency, or a throughput is absent though no
// backlog grows: a longer run may have it.
[[nodiscard]] bool is_too_short(const Goal& goal, const ResultMetrics& metrics);

// How far the metrics at one point can be trusted.
struct GoalTrust {
  std::vector<scenarios::Interval> intervals;  // prediction intervals: of throughput, latency, power, energy
  std::string sharing_note;                    // scenarios::sharing_note()
};
// `values` are those of the metrics; the intervals around them are from simulations of the draws of the
// profile. Throws RunError, Interrupted.
[[nodiscard]] GoalTrust goal_trust(const Goal& goal, const scenarios::Scenario& scenario,
                                   const std::vector<double>& values, const std::atomic<bool>* interrupt);

}  // namespace jostle::analyses
