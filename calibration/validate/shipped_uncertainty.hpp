// The uncertainty of the shipped profiles, from the shipped evidence: profiles/uncertainty.csv.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibration/evidence/comparison.hpp"

namespace jostle::calibration {

struct ShippedUncertainty {
  // The table: for every board with measured runs the uncertainty of its parameters, and the residuals of
  // held-out runs (power modes and networks of an Orin Nano Super, clocks and boards of the others, contended
  // runs of the H200, PyTorch's networks on the H100, published decode rates of language models).
  std::string csv;
  // These held-out runs, one group per board, each marked if the residuals of the others cover it.
  std::vector<ComparisonGroup> coverage;
};

// Computes the table, which takes minutes. `progress` gets the completed share.
[[nodiscard]] ShippedUncertainty shipped_uncertainty(const std::function<void(double)>& progress = {});

}  // namespace jostle::calibration
