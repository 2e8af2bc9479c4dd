// Predictions against measurements: every measured run of a device, simulated again and compared.
//
// The runs are those of calibration/evidence/<device>; they are in the binary, so that anyone can recompute
// the comparison with `jostle validate`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyses/evidence/comparison.hpp"
#include "calibration/evidence/trace_files.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::analyses {

// Traces of the H200's form, simulated with `profile`: a group for each question that the files answer.
// `progress` is told the share done, by one thread at a time.
[[nodiscard]] std::vector<ComparisonGroup> validate_h200(
    const calibration::Profile& profile, const std::function<void(double)>& progress = {},
    const calibration::TraceFiles& files = calibration::embedded_traces());

// Its parts. The files that each names as its `evidence` must be there.
[[nodiscard]] ComparisonGroup compare_solo(
    const calibration::Profile& profile,
    const calibration::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_contended(
    const calibration::Profile& profile, const std::string& mode,  // "graph" or "eager"
    const calibration::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_eager_repeats(
    const calibration::Profile& profile,
    const calibration::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_open_loop(
    const calibration::Profile& profile,
    const calibration::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_sharing_intervals(
    const calibration::Profile& profile,
    const calibration::TraceFiles& files = calibration::embedded_traces());
[[nodiscard]] ComparisonGroup compare_sparse_launches(
    const calibration::Profile& profile,
    const calibration::TraceFiles& files = calibration::embedded_traces());

}  // namespace jostle::analyses
