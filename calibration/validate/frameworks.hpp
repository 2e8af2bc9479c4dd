// Validation of PyTorch's networks that nobody calibrated: ten, alone on an H100.
#pragma once

#include <functional>
#include <vector>

#include "analyses/interval/model_error.hpp"
#include "calibration/evidence/comparison.hpp"

namespace jostle::calibration {

// The runs of evidence/h100-nets/solo.csv, each predicted with the laws that its own family has no part in
// (evidence/h100-nets/laws.csv). Of eager runs the faster of a pair counts: they are bound by the host.
struct FrameworksValidation {
  // Graphs in fp16, graphs in tf32, eager runs: by images/s; each with the interval of the other families'.
  std::vector<ComparisonGroup> groups;
  std::vector<analyses::HeldOutRow> held_out;
};
// `progress` gets the share done, by one thread at a time, and may throw.
[[nodiscard]] FrameworksValidation validate_frameworks(const std::function<void(double)>& progress = {});

}  // namespace jostle::calibration
