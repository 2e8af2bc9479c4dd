// What is known of the parameters that traces of a shared GPU determine, before any trace is read: of any
// device the published range, of one like a shipped device its profile's value and how far the two may
// differ.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "calibration/fit/robust.hpp"

namespace jostle::calibration {

struct TracePrior {
  std::string_view path;  // of the parameter in a profile
  std::string_view unit;  // of `centre`, and of estimates
  double centre = 1;
  double sd = 0.7;    // of the logarithm
  double range = 10;  // the fit stays within centre / range and centre x range
  std::string_view source;
  double between_devices = 0.3;  // instead of `sd`, where the centre is the value of a like device
  std::string_view between_source = {};
  bool near = false;  // the centre is the value of a like device

  // The prior of a device like one whose profile has `value`, as written there. Unchanged if the value is
  // zero.
  [[nodiscard]] TracePrior around(std::string_view value) const;
};

// In the order of a profile. No centre is the value that a shipped profile was fitted to.
[[nodiscard]] std::span<const TracePrior> trace_priors();

// An estimate and its prior taken together: the mean of their logarithms, weighted by the inverse variances.
// `variance_left`: share of the prior's variance that remains.
struct Posterior {
  Estimate estimate;
  double variance_left = 1;
};
// `found`: its value must be positive.
[[nodiscard]] Posterior with_prior(const Estimate& found, const TracePrior& prior);

}  // namespace jostle::calibration
