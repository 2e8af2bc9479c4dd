// Published ranges of the parameters that traces of a shared GPU determine, before any trace is read.
#pragma once

#include <span>
#include <string_view>

namespace jostle::calibration {

struct TracePrior {
  std::string_view path;  // of the parameter in a profile
  std::string_view unit;  // of `centre`, and of estimates
  double centre = 1;
  double sd = 0.7;    // of the logarithm
  double range = 10;  // the fit stays within centre / range and centre x range
  std::string_view source;
};

// In the order of a profile. No prior is the value that a shipped profile was fitted to.
[[nodiscard]] std::span<const TracePrior> trace_priors();

}  // namespace jostle::calibration
