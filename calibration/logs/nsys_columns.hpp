// The columns of a summary of `nsys stats`, by their names in all versions, and the numbers in them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jostle::calibration {

enum SummaryColumn : std::size_t { count, mean, median, sd, name, columns };
struct SummaryUnit {
  std::string_view name;
  double scale;  // to us or MB
  bool bytes;
};
// The layout of a summary, detected by its columns.
struct SummaryTable {
  std::array<std::optional<std::size_t>, columns> at;
  std::string count_header, name_header;
  const SummaryUnit* unit = nullptr;
  std::size_t width = 0;
};

// The unit in brackets at the end of a text, as in "Avg (ns)" and "Statistics (by size in KiB):"; null if
// there is none.
[[nodiscard]] const SummaryUnit* summary_unit(std::string_view text);

// The table under a header; none if it lacks a count, a mean or a name. `titled` is the unit of the section's
// title, for columns that have none.
[[nodiscard]] std::optional<SummaryTable> table_of(const std::vector<std::string>& header,
                                                   const SummaryUnit* titled);

// A number, with or without thousands separators: "30,000.0" or "25’056".
[[nodiscard]] std::optional<double> grouped_number(std::string_view text);

// A line with the names of the columns of a summary, in any of the forms of `nsys stats`.
[[nodiscard]] bool is_nsys_heading(std::string_view line);

}  // namespace jostle::calibration
