// The alternatives to the best point of a plan, in words: the runner-up, and the next better point that is
// out of reach.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
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

}  // namespace jostle::analyses
