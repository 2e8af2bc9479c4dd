// The error of predictions that remains although the parameters are right: residuals of held-out runs, and
// which of them apply to a prediction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/interval/spread.hpp"
#include "calibration/profile/uncertainty.hpp"

namespace jostle::analyses {

// A measured value and its prediction from a fit without it.
struct HeldOutRow {
  std::string device, quantity, basis;
  std::string fold;           // rows that were held out together
  std::string configuration;  // what ran; rows with the same are repeats or parts of one run, not independent
  std::string value;          // names the measured value, so that it counts once if it was held out twice
  double measured = 0, predicted = 0;
  Spread spread;  // of the draws

  // The smallest residual half-width at which the interval contains the measured value.
  [[nodiscard]] double needed() const;
};

// The half-width that holds nine runs in ten (conformal.hpp), for each quantity and basis: of all devices,
// then of each device, wherever there are runs enough. A value counts once, as it was first held out.
[[nodiscard]] std::vector<calibration::Residual> residuals_of(const std::vector<HeldOutRow>& rows);

// The residual for predictions of a quantity on this basis: that of the device on this basis or the next
// weaker that is known, else that of all devices, else the widest known. The tail of latency ("latency p99")
// has one of its own; where that was measured on a better basis only, the wider of it and the mean's on this
// basis. None if nothing is known of the quantity.
[[nodiscard]] std::optional<calibration::Residual> residual_for(const calibration::Uncertainty& uncertainty,
                                                                const std::string& device,
                                                                const std::string& quantity,
                                                                const std::string& basis);

// What a residual is from, for people: "36 runs of all boards (throughput, family)".
[[nodiscard]] std::string origin_of(const calibration::Residual& residual);

}  // namespace jostle::analyses
