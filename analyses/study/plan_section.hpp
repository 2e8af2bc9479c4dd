// The section `plan` of a study: the required confidence of its answer (docs/planning.md).
#pragma once

#include <optional>

#include "input/cursor.hpp"

namespace jostle::analyses {

struct Study;

struct PlanSection {
  double indifference = 0.01;  // relative difference within which objectives count as equal
  double confidence = 0.95;    // probability that the answer meets all limits
  // Limit of the simulated time of replications, relative to that of the search; none: 10, or 500 runs if
  // that is more.
  std::optional<double> effort;
  double headroom = 0;            // share of the stable rate that must stay free
  double energy_usd_per_kwh = 0;  // 0: energy has no price
};

// Reads `headroom`, a share of the stable rate, which every board must keep free.
void read_headroom(input::Mapping& mapping, double& headroom);

void read_plan(const input::Cursor& at, Study& study);

}  // namespace jostle::analyses
