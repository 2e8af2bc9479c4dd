// Errors of predictions, a line for each quantity of each group.
#pragma once

#include <string>
#include <vector>

#include "analyses/validate/validate.hpp"
#include "cli/terminal/table.hpp"

namespace jostle::cli {

// A share in percent, without the sign.
[[nodiscard]] std::string percent(double share, const char* format = "{:.2f}");

[[nodiscard]] Table error_table(const std::vector<analyses::ComparisonGroup>& groups);

// Every figure of every run, or those that miss a bound which is asked of each.
[[nodiscard]] Table details_table(const std::vector<analyses::ComparisonGroup>& groups, bool only_beyond);

}  // namespace jostle::cli
