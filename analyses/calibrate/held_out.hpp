// What a calibration is worth: the error on runs that it never saw, and how wide its intervals have to be.
#pragma once

#include <vector>

#include "analyses/calibrate/calibrate.hpp"
#include "analyses/evidence/comparison.hpp"
#include "analyses/interval/coverage.hpp"

namespace jostle::analyses {

struct HeldOut {
  std::vector<ComparisonGroup> groups;  // with the share of rows that their intervals held
  std::vector<UnseenRow> rows;
};

// Fits without each power mode in turn and predicts its runs, then the same with each network: a group of
// comparisons for each of the two, if there are two modes, or two networks. Quantities are "latency" (of
// whatever kind), "throughput", "enqueue", "memory traffic", "power" at the input and "rail power". `all` is
// the fit on all of them, near which the others begin. Throws as calibrate() does.
[[nodiscard]] HeldOut held_out(const calibration::BaseProfile& base,
                               const std::vector<RunConfiguration>& settings, PriorsFrom from,
                               const Calibration& all, const CalibrationControl& control = {});

// How all of the rows come out when fitted on all of them.
[[nodiscard]] ComparisonGroup fitted_on(const Calibration& calibration,
                                        const std::vector<RunConfiguration>& settings,
                                        const CalibrationControl& control = {});

}  // namespace jostle::analyses
