// Validation: simulates measured runs and compares predictions with measurements.
//
// The runs of calibration/evidence/<device> are embedded in the binary, so `jostle validate` can repeat the
// comparison anywhere.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/evidence/comparison.hpp"
#include "calibration/evidence/embedded.hpp"
#include "profiles/tables/trace_files.hpp"

namespace jostle::profiles {
struct Profile;
}

namespace jostle::calibration {

// Compares traces in the format of the H200 evidence with simulations of `profile`. Returns one group for
// each kind of comparison that the files have data for. `progress` gets the completed share, from one thread
// at a time.
[[nodiscard]] std::vector<ComparisonGroup> validate_h200(
    const profiles::Profile& profile, const std::function<void(double)>& progress = {},
    const profiles::TraceFiles& files = calibration::embedded_traces());

// The parts of validate_h200(). The files that each part names as its `evidence` must exist.
[[nodiscard]] ComparisonGroup compare_solo(
    const profiles::Profile& profile, const profiles::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_contended(
    const profiles::Profile& profile, const std::string& mode,  // "graph" or "eager"
    const profiles::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_eager_repeats(
    const profiles::Profile& profile, const profiles::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_open_loop(
    const profiles::Profile& profile, const profiles::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_sharing_intervals(
    const profiles::Profile& profile, const profiles::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_sparse_launches(
    const profiles::Profile& profile, const profiles::TraceFiles& files = calibration::embedded_traces());

}  // namespace jostle::calibration
