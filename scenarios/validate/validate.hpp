// Predictions against measurements: every measured run of a device, simulated again and compared.
//
// The runs are those of calibration/evidence/<device>; they are in the binary, so that anyone can recompute
// the comparison with `jostle validate`.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibration/profile/profile.hpp"
#include "calibration/readers/trace_files.hpp"

namespace jostle::scenarios {

// One figure of one run. `quantity` groups figures of a kind, e.g. "images/s", "p50".
struct Comparison {
  std::string run;  // e.g. "c002 resnet50 fp16 b1 x8, process 3"
  std::string quantity;
  double measured = 0;
  double predicted = 0;
  std::optional<bool> covered = std::nullopt;  // whether the 90 % interval holds it, where there is one
  [[nodiscard]] double error() const { return predicted / measured - 1; }
};

// What is asked of a quantity: which absolute error is to stay within the limit.
enum class Judged { mean, median, each };
struct Bound {
  std::string quantity;
  double limit = 0;
  Judged judged = Judged::mean;
};

// Runs that are judged together.
struct ComparisonGroup {
  std::string name;      // "equal GPU-bound processes"
  std::string evidence;  // the file it is from
  std::string note;      // what to know when reading it; may be empty
  std::vector<Comparison> comparisons;
  std::vector<Bound> bounds;
};

struct ErrorSummary {
  std::string quantity;
  std::size_t count = 0;
  double mean_absolute = 0, median_absolute = 0, p90_absolute = 0, bias = 0;
  double worst = 0;  // signed, of greatest magnitude
  std::string worst_run;
  std::optional<Bound> bound;
  std::size_t beyond = 0;                      // runs whose error exceeds it
  std::size_t with_interval = 0, covered = 0;  // runs with a 90 % interval, and those inside
  [[nodiscard]] bool missed() const {
    if (!bound) return false;
    if (bound->judged == Judged::each) return beyond > 0;
    return (bound->judged == Judged::mean ? mean_absolute : median_absolute) > bound->limit;
  }
};
// One a quantity, in the order of appearance.
[[nodiscard]] std::vector<ErrorSummary> summarise(const ComparisonGroup& group);

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

}  // namespace jostle::scenarios
