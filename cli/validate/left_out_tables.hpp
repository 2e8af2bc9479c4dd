// What `jostle validate boards` says of laboratories whose rows nothing was fitted on, and all of it as JSON.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyses/validate/left_out.hpp"
#include "cli/terminal/table.hpp"

namespace jostle::cli {

inline constexpr std::size_t worst_shown = 20;

// "1,234 values judged, 56 marked, 78 not yet judged", as a sentence.
[[nodiscard]] std::string left_out_counts(const analyses::LeftOut& left_out);

// The values that are most wrong (worst_of()), and what each teaches.
[[nodiscard]] Table worst_table(const analyses::LeftOut& left_out);

// What rows wait for, the most rows first.
[[nodiscard]] Table not_yet_table(const analyses::LeftOut& left_out);

// One object on one line: error statistics by group and quantity, and of laboratories the counts, every value
// and the worst.
[[nodiscard]] std::string validation_json(const std::vector<analyses::ComparisonGroup>& groups,
                                          const std::optional<analyses::LeftOut>& left_out);

}  // namespace jostle::cli
