// Scatter plots of predicted against measured values: one panel per group of runs, both axes logarithmic.
#pragma once

#include <string>
#include <vector>

#include "calibration/validate/validate.hpp"

namespace jostle::cli {

// The diagonal marks exact predictions, the band ±10 %. Each quantity has a colour; a ring marks a run
// outside its 90 % interval. Groups without positive values, and views of other groups, are left out.
[[nodiscard]] std::string scatter_svg(const std::vector<calibration::ComparisonGroup>& groups);

}  // namespace jostle::cli
