// A validation as a page of charts.
#pragma once

#include <string>
#include <vector>

#include "calibration/evidence/comparison.hpp"

namespace jostle::cli {

// `subject`: the heading.
[[nodiscard]] std::string validation_page(const std::string& subject,
                                          const std::vector<calibration::ComparisonGroup>& groups);

}  // namespace jostle::cli
