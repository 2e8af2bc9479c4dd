// The uncertainty of the shipped profiles, from the shipped evidence: calibration/uncertainty.csv.
#pragma once

#include <functional>
#include <string>

namespace jostle::analyses {

// The table: for every board with measured runs the uncertainty of its parameters, and the residuals of
// held-out runs (power modes and networks of an Orin Nano Super, clocks and boards of the others, contended
// runs of the H200). Takes minutes. `progress` gets the share done.
[[nodiscard]] std::string shipped_uncertainty_csv(const std::function<void(double)>& progress = {});

}  // namespace jostle::analyses
