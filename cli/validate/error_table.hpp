// Tables of prediction errors.
#pragma once

#include <string>
#include <vector>

#include "calibration/validate/validate.hpp"
#include "cli/terminal/table.hpp"

namespace jostle::cli {

// A share in percent, without the % sign.
[[nodiscard]] std::string percent(double share, const char* format = "{:.2f}");

// The errors, with a row per group and quantity.
[[nodiscard]] Table error_table(const std::vector<calibration::ComparisonGroup>& groups);

// The same for a terminal, each group under its whole name, limits always shown; below it how many limits are
// met. `over_limit`: only rows over their limit, unless no row has one.
enum class ErrorRows { all, over_limit };
[[nodiscard]] std::string error_text(const std::vector<calibration::ComparisonGroup>& groups, ErrorRows shown,
                                     int width, bool colour);

// Why limits are exceeded, the most frequent cause first: "9 of 13 exceeded limits: close to saturation ...
// (turns of synthetic processes)"; last those without a known cause.
[[nodiscard]] std::vector<std::string> why_exceeded(const std::vector<calibration::ComparisonGroup>& groups);

// The rows over their limit, for the first screen of a page.
[[nodiscard]] Table exceeded_table(const std::vector<calibration::ComparisonGroup>& groups);

// The details, with a row per metric and run; `only_over_limit`: only rows over a limit that applies to each
// run.
[[nodiscard]] Table details_table(const std::vector<calibration::ComparisonGroup>& groups,
                                  bool only_over_limit);

}  // namespace jostle::cli
