// The alternatives to the best point of a plan, in words: the runner-up, and the next better point that is
// out of reach.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyses/plan/goal.hpp"
#include "analyses/plan/overload.hpp"

namespace jostle::analyses {

// The point that would be better than the best if it met the limits, and that misses them by least. One that
// keeps up goes before one that is overloaded.
struct NextBetter {
  std::size_t point = 0;                  // index in the study
  std::string settings;                   // JSON: key to value
  std::size_t objective = 0;              // the first objective in which it is better beyond the zone
  double value = 0;                       // value of that objective
  double gain = 0;                        // relative to the best, positive
  std::optional<std::size_t> limit = {};  // criterion that it misses most; none: overloaded or undecided
  std::size_t more_limits = 0;            // number of other limits that it misses
  double limit_value = 0;                 // its value of that criterion
  double by = 0;  // how far, relative to the limit; of an overload to what it could serve
  std::optional<Shortage> shortage = {};  // cause of an overload
  scenarios::Metric stable_share = {};    // share of an overload that is served; none: unknown
  double p_feasible = 0;                  // if undecided
};

// The share of requests that come in addition where a headroom is used up: a quarter for 20 %.
[[nodiscard]] double more_requests(double headroom);

// The limit that the values miss most; none: they miss none.
[[nodiscard]] std::optional<std::size_t> most_missed(const Goal& goal, const std::vector<double>& values);
// How they miss it: "p99 latency is 61.2 ms, 2 % above the limit of 60 ms"
[[nodiscard]] std::string missed_words(const Goal& goal, std::size_t limit, double value);

// The first objective in which the values are better than those of the best by more than the zone, unless
// they are worse in an earlier one. `objectives`: may be absent.
[[nodiscard]] std::optional<std::size_t> better_objective(const Goal& goal,
                                                          const std::vector<scenarios::Metric>& objectives,
                                                          const std::vector<double>& best);

// "throughput 812.3 images/s, 4.1 % more than the best; but p99 latency is 61.2 ms, 2 % above the limit of
// 60 ms"
[[nodiscard]] std::string sentence_of(const Goal& goal, const NextBetter& next);

// The reason why the runner-up is not the best: "It would be the best if its throughput were 17 %
// higher."
[[nodiscard]] std::string runner_up_sentence(const Goal& goal, const std::vector<double>& best,
                                             const std::vector<double>& second);

// The best point if the model is off by its usual error, for the worse: what becomes of its limits.
//
// The point is run on a board whose times are all longer by the error of its grade (slower.hpp), those of the
// host included. Power has a grade and an error of its own.

// A point, with the usual errors of its grades; absent: a grade is not known.
struct GradedPoint {
  const scenarios::Scenario& scenario;
  const std::vector<double>& values;  // one per criterion
  scenarios::Metric error, power_error;
  scenarios::Metric free_share;  // OverloadDistance::free_share()
};

struct IfOff {
  double error = 0;                                         // the greatest that was used
  std::optional<Shortage> shortage = {};                    // the slower board does not keep up
  scenarios::Metric served = {};                            // share of the requests that it could serve then
  double dropped = 0;                                       // share that a limited queue drops
  std::vector<std::pair<std::size_t, double>> missed = {};  // limits (criteria) with their values
};

// One run. None if the error of a limit is not known, or a limited metric is absent though the board keeps
// up. `run`: the result of a scenario on the point's board.
[[nodiscard]] std::optional<IfOff> if_off(
    const Goal& goal, const GradedPoint& point,
    const std::function<scenarios::Result(const scenarios::Scenario&)>& run);

// "If the model is off by its usual 30 %, not all limits are met: p99 latency would come to 61.2 ms"
[[nodiscard]] std::string sentence_of(const Goal& goal, const IfOff& off);

}  // namespace jostle::analyses
