// Predicted against measured as a picture: a panel for each group of runs, both axes logarithmic.
#pragma once

#include <string>
#include <vector>

#include "analyses/validate/validate.hpp"

namespace jostle::cli {

// On the diagonal predictions are right; the band is 10 % to either side. A colour is a quantity; a ring is a
// run outside of its 90 % interval. Groups without a positive figure are left out.
[[nodiscard]] std::string scatter_svg(const std::vector<analyses::ComparisonGroup>& groups);

}  // namespace jostle::cli
