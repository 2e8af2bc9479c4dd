// What a parameter may be on a board where nobody measured it: the span of what sources tell (ranges.csv).
//
// A profile's figure that is neither `measured` nor `fitted` is drawn: half of the draws lie below it and
// half above, evenly in the logarithm (to or from a zero, evenly), and nine in ten within the range. A figure
// outside its range widens it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/quantity.hpp"

namespace jostle::calibration {

struct Range {
  std::string path;      // of the parameter in a profile
  std::string from, to;  // with units, as in a profile; "0.5 x": of the profile's figure, or of that at `of`
  std::string of;        // path of the parameter that it follows when that is drawn; empty: none
  std::string source;
};

[[nodiscard]] const std::vector<Range>& ranges();

// Null if there is none.
[[nodiscard]] const Range* range_of(std::string_view path);

// The figure at `score`, from 0 over 0.05 (the lower end), 0.5 (the profile's `figure`) and 0.95 (the upper
// end) to 1, in the figure's unit. `of`: the profile's figure at `range.of`. None where the units do not
// agree.
[[nodiscard]] std::optional<double> at_score(const Range& range, const input::Written& figure,
                                             const std::optional<input::Written>& of, double score);

}  // namespace jostle::calibration
