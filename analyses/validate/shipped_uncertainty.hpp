// How sure the shipped profiles are: what calibration/uncertainty.csv holds, from the shipped evidence.
#pragma once

#include <functional>
#include <string>

namespace jostle::analyses {

// The table: for every board with measured runs how well they know its figures as they are; residuals of runs
// that were left out: power modes and networks of an Orin Nano Super, clocks and boards of the others, and
// the H200's contended ones. Takes minutes. `progress` is told the share done.
[[nodiscard]] std::string shipped_uncertainty_csv(const std::function<void(double)>& progress = {});

}  // namespace jostle::analyses
