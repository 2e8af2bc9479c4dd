// What a study wants, as criteria of a search: its objectives in their order, then a limit each of its
// constraints has.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "analyses/plan/criteria.hpp"
#include "analyses/study/outcome.hpp"
#include "analyses/study/study.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

struct Goal {
  std::vector<Criterion> criteria;
  std::vector<std::string> figures;  // the path of each criterion's
  std::size_t objectives = 0;        // so many of the criteria, the first ones
};
[[nodiscard]] Goal goal_of(const Study& study);

// What the goal's figures are in a result; none where one is absent. Of several processes the worst counts.
[[nodiscard]] Evaluation values_in(const Goal& goal, const std::string& result_json);
[[nodiscard]] Evaluation values_in(const Goal& goal, const Outcome& outcome);  // none unless it is ok

// Prediction intervals of the goal's figures at one point, by simulating the draws of its profile: of
// throughput, latency, power and energy; of others none. Throws RunError, Interrupted.
[[nodiscard]] std::vector<scenarios::Interval> goal_intervals(const Goal& goal,
                                                              const scenarios::Scenario& scenario,
                                                              const std::atomic<bool>* interrupt);

}  // namespace jostle::analyses
