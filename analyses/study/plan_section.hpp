// The section `plan` of a study: how sure its answer has to be (docs/planning.md).
#pragma once

#include <optional>

#include "input/cursor.hpp"

namespace jostle::analyses {

struct Study;

struct PlanSection {
  double indifference = 0.01;  // objectives closer than this, relative, count as equal
  double confidence = 0.95;    // that the answer meets all limits
  // Simulated time of replications, at most, by that of the search; none: 10, or 500 runs if that is more.
  std::optional<double> effort;
};

void read_plan(const input::Cursor& at, Study& study);

}  // namespace jostle::analyses
