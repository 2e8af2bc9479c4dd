// Validation of PyTorch's networks that nobody calibrated: ten, alone on an H100, and sixteen on an H200.
#pragma once

#include <functional>
#include <vector>

#include "analyses/interval/model_error.hpp"
#include "calibration/evidence/comparison.hpp"

namespace jostle::calibration {

// The runs of evidence/h100-nets/solo.csv, each predicted with the laws that its own family has no part in
// (evidence/h100-nets/laws.csv). Of eager runs the faster of a pair counts: they are bound by the host.
//
// Those of evidence/h200-random/solo.csv, networks drawn at random, with the laws of single precision that
// the network has no part in (evidence/h200-random/laws.csv); ResNet-101, VGG-16 and others with their
// families.
struct FrameworksValidation {
  // Graphs in fp16, graphs in tf32, eager runs: by images/s; each with the interval of the other families'.
  // Then graphs drawn at random in fp16, tf32 and fp32, with watts.
  std::vector<ComparisonGroup> groups;
  std::vector<analyses::HeldOutRow> held_out;
};
// `progress` gets the share done, by one thread at a time, and may throw.
[[nodiscard]] FrameworksValidation validate_frameworks(const std::function<void(double)>& progress = {});

}  // namespace jostle::calibration
