// Rates of eager runs beside the host's one factor: how far networks and runs scatter about it, and so how
// much a network's own rate says of its host time.
#pragma once

#include <vector>

#include "calibration/calibrate/calibrate.hpp"

namespace jostle::calibration {

// The expected distance of an eager run's rate from the host's factor: networks differ by 9 % from the law of
// operators, runs of a host with two speeds by 20 % from each other (evidence/h200-host).
inline constexpr double network_host_sd = 0.09, run_host_sd = 0.2;

// Sets `rate_weight` of the fitted profile to what rates of one process alone tell, and notes what was
// learned. `predicted`: for each reference value of `used`, in order. Nothing changes without such rates, or
// where the profile has no factor of the host.
void learn_spread(Calibration& result, const std::vector<RunConfiguration>& used,
                  const std::vector<double>& predicted);

}  // namespace jostle::calibration
