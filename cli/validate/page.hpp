// A validation as a self-contained HTML page: error table, scatter plots, all measured values.
#pragma once

#include <string>
#include <vector>

#include "analyses/validate/validate.hpp"

namespace jostle::cli {

// `subject`: the heading.
[[nodiscard]] std::string validation_page(const std::string& subject,
                                          const std::vector<analyses::ComparisonGroup>& groups);

}  // namespace jostle::cli
