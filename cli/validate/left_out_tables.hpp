// Results of `jostle validate boards` for laboratories whose rows no fit has used, and all results as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "calibration/validate/left_out.hpp"
#include "cli/terminal/table.hpp"

namespace jostle::cli {

inline constexpr std::size_t worst_shown = 20;

// The counts as a sentence: "1,234 values judged, 56 marked, 78 not yet judged".
[[nodiscard]] std::string left_out_counts(const calibration::LeftOut& left_out);

// The values with the largest errors (worst_of()), and the conclusion from each.
[[nodiscard]] Table worst_table(const calibration::LeftOut& left_out);

// The missing items that rows wait for, the one with the most rows first.
[[nodiscard]] Table not_yet_table(const calibration::LeftOut& left_out);

// One object on one line: error statistics by group and quantity; for laboratories the counts, every value
// and the worst ones.
[[nodiscard]] std::string validation_json(const std::vector<calibration::ComparisonGroup>& groups,
                                          const std::optional<calibration::LeftOut>& left_out);

}  // namespace jostle::cli
