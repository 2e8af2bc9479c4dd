// Finds the best point of a study: by exhaustive search if there are few points, else by Bayesian
// optimisation.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyses/plan/candidates.hpp"

namespace jostle::analyses {

// A point of the result.
struct PlanPoint {
  std::size_t point = 0;                       // index in the study
  std::string settings;                        // JSON: key to value
  std::vector<double> values;                  // of each criterion
  std::vector<scenarios::Interval> intervals;  // 90 % intervals of the values; absent if unknown
  std::string sharing_note;                    // scenarios::sharing_note(), where intervals were asked for
  // Of a point that was replicated the values are means; of any other, those of one run.
  std::size_t replications = 0;
  std::vector<scenarios::Metric> half_widths;  // of the confidence intervals of the means
  scenarios::Metric p_feasible;                // the probability that it truly meets all limits
  double dropped = 0;                          // share of the requests, at the limits of queues
};

// A point that would be better than the best, or one if there is no best, but is not known to meet the
// limits.
struct NearMiss {
  PlanPoint point;
  bool infeasible = false;  // it is known to miss one; else undecided
};

// The cost of a limit: the best evaluated point that violates it and no other.
struct Relaxed {
  std::size_t criterion = 0;  // the limit
  double needed = 0;          // the value the limit would need
  PlanPoint best;
};

// A limit that no point meets, and the closest value of any point.
struct Missed {
  std::size_t criterion = 0;
  double nearest = 0;
};

// The overloaded point that is nearest to keeping up.
struct LeastOverloaded {
  std::size_t point = 0;    // index in the study
  std::string settings;     // JSON: key to value
  double stable_share = 0;  // of its load, that it could serve
};

struct Plan {
  Goal goal;
  std::size_t points = 0;         // supported points with different scenarios
  Candidates::Count count;        // of evaluations
  bool exhaustive = false;        // all points were evaluated
  bool converged = true;          // no other point is expected to gain more than 0.5 %
  std::optional<PlanPoint> best;  // none: no point meets all limits
  // The best of the points that differ from `best` by more than 1 % in some metric and are not a neighbour of
  // it on a key with more than eight values.
  std::optional<PlanPoint> runner_up;
  // Where all were evaluated and there are few: each of them that can run, without pi90; those that meet the
  // limits first, best first.
  std::vector<PlanPoint> every;
  std::vector<PlanPoint> front;  // of two or more objectives; sorted by the first, best first
  std::vector<Relaxed> relaxed;  // of limits that cost something
  std::vector<Missed> missed;    // if there is no best
  std::vector<NearMiss> near_misses;
  std::optional<LeastOverloaded> least_overloaded;  // none: no point is, or what it could serve is not known
  double search_s = 0, replicated_s = 0;            // simulated time
  bool decided = true;  // else `effort` ended the replications before everything was decided
};

struct PlanControl {
  bool exhaustive = false;          // evaluate all points
  std::size_t max_evaluations = 0;  // 0: a tenth of the points, at least 300
  bool intervals = true;
  const std::atomic<bool>* interrupt = nullptr;
  // `done`: points evaluated; `of`: the most that will be.
  std::function<void(std::size_t done, std::size_t of)> progress;
  std::function<void(double share)> replicating;  // of the time that replications may take
};

// The goal of the candidates must have an objective. Throws Interrupted (finished points are stored),
// RunError.
[[nodiscard]] Plan plan(Candidates& candidates, const PlanControl& control);

}  // namespace jostle::analyses
