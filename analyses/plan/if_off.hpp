// The best point if the model is off by its usual error, for the worse: what becomes of its limits.
//
// The point is run on a board whose times are all longer by the error of its grade (slower.hpp), those of the
// host included. Power has a grade and an error of its own.
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
