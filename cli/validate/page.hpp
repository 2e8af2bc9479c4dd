// A comparison as one self-contained web page: summary, pictures, every figure.
#pragma once

#include <string>
#include <vector>

#include "analyses/validate/validate.hpp"

namespace jostle::cli {

// `subject`: what was validated against what, for the heading.
[[nodiscard]] std::string validation_page(const std::string& subject,
                                          const std::vector<analyses::ComparisonGroup>& groups);

}  // namespace jostle::cli
