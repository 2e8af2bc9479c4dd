// The best of a study's points: by simulating all of them where they are few, else by a search.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyses/plan/candidates.hpp"

namespace jostle::analyses {

// A point that an answer names.
struct PlanPoint {
  std::size_t point = 0;       // index in the study
  std::string settings;        // JSON: key to value
  std::vector<double> values;  // of each criterion
  std::vector<scenarios::Interval>
      intervals;  // likewise, nine in ten measurements; absent where nothing is known
};

// What one limit costs: the best of the points simulated that break it and no other.
struct Relaxed {
  std::size_t criterion = 0;  // the limit
  double needed = 0;          // what the limit would have to be
  PlanPoint best;
};

// The nearest that any point came to a limit that no point kept.
struct Missed {
  std::size_t criterion = 0;
  double nearest = 0;
};

struct Plan {
  Goal goal;
  std::size_t points = 0;         // that ask different things and are supported
  Candidates::Count count;        // of those looked at
  bool exhaustive = false;        // all were looked at
  bool converged = true;          // nothing was left that could win by more than half a percent
  std::optional<PlanPoint> best;  // none: no point keeps all limits
  // The best of those of which some figure differs by more than 1 %, and that are not one step from the best
  // on a key of more than eight values.
  std::optional<PlanPoint> runner_up;
  std::vector<PlanPoint> front;  // of two objectives or more; the best first objective first
  std::vector<Relaxed> relaxed;  // of limits that cost something
  std::vector<Missed> missed;    // where there is no best
};

struct PlanControl {
  bool exhaustive = false;  // simulate all
  std::size_t most = 0;     // points to look at; 0: a tenth, and at least 300
  bool intervals = true;
  const std::atomic<bool>* interrupt = nullptr;
  // Points looked at, of at most as many.
  std::function<void(std::size_t done, std::size_t of)> progress;
};

// Their goal has an objective. Throws Interrupted (what is done is stored), RunError.
[[nodiscard]] Plan plan(Candidates& candidates, const PlanControl& control);

}  // namespace jostle::analyses
