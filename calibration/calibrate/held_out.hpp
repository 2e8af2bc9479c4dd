// Cross-validation of a calibration: its error on held-out runs, and the residuals for its intervals.
#pragma once

#include <vector>

#include "calibration/calibrate/calibrate.hpp"
#include "calibration/coverage/coverage.hpp"
#include "calibration/evidence/comparison.hpp"

namespace jostle::calibration {

struct HeldOut {
  std::vector<ComparisonGroup> groups;  // with coverage
  std::vector<analyses::HeldOutRow> rows;
};

// Fits without each power mode in turn and predicts its runs, then the same with each network and each number
// of processes: one group of comparisons for each kind, if the runs have at least two values of it. Else one
// group that leaves out single runs. Quantities are "latency" (of any kind), "throughput", "enqueue", "memory
// traffic", "power" at the input and "rail power". `all`: the fit to all runs, at which the other fits start.
// Throws as calibrate() does.
[[nodiscard]] HeldOut held_out(const profiles::BaseProfile& base,
                               const std::vector<RunConfiguration>& configurations, PriorsFrom from,
                               const Calibration& all, const CalibrationControl& control = {});

// The errors of the fit to all runs on these same runs.
[[nodiscard]] ComparisonGroup fitted_on(const Calibration& calibration,
                                        const std::vector<RunConfiguration>& configurations,
                                        const CalibrationControl& control = {});

}  // namespace jostle::calibration
