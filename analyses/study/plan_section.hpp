// The section `plan` of a study: how sure its answer has to be (docs/planning.md).
#pragma once

#include "input/cursor.hpp"

namespace jostle::analyses {

struct Study;

struct PlanSection {
  double indifference = 0.01;  // objectives closer than this, relative, count as equal
  double confidence = 0.95;    // that the answer meets all limits
  double effort = 10;          // simulated time of replications, at most, by that of the search
};

void read_plan(const input::Cursor& at, Study& study);

}  // namespace jostle::analyses
