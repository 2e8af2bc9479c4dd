// The goal of a study as criteria of a search: its objectives in order, then the limits from its constraints.
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
  std::size_t may_be_absent = 0;     // number of last metrics that may be absent; they count as 0 then
  double indifference = tie;         // relative difference within which objectives count as equal
  double confidence = 0.95;          // probability that the answer meets the limits, and is the best
};
[[nodiscard]] Goal goal_of(const Study& study);

// The values of the goal's metrics in a result; none if one is absent, or if the backlog of a process grows.
// Among several processes the worst counts.
[[nodiscard]] Evaluation values_in(const Goal& goal, const ResultMetrics& metrics);
[[nodiscard]] Evaluation values_in(const Goal& goal, const Outcome& outcome);  // none unless ok
// Returns whether the result lacks a time (such as a latency percentile) or a throughput of the goal although
// no backlog grows, so that a longer run may have it.
[[nodiscard]] bool is_too_short(const Goal& goal, const ResultMetrics& metrics);

// The uncertainty of the metrics at one point.
struct GoalTrust {
  std::vector<scenarios::Interval> intervals;  // prediction intervals: throughput, latency, power, energy
  std::string sharing_note;                    // scenarios::sharing_note()
};
// `values`: the values of the metrics, around which the intervals are. Simulates draws of the profile. Throws
// RunError, Interrupted.
[[nodiscard]] GoalTrust goal_trust(const Goal& goal, const scenarios::Scenario& scenario,
                                   const std::vector<double>& values, const std::atomic<bool>* interrupt);

}  // namespace jostle::analyses
