// What a parameter may be on a board where nobody measured it: the span of what sources tell (ranges.csv).
//
// A profile's figure that is neither `measured` nor `fitted` is drawn from its range: half of the draws lie
// between the lower end and the figure, half between the figure and the upper end, evenly in the logarithm
// (from a zero, evenly). A figure outside its range widens it.
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

// The figure at `score`, from 0 (the lower end) over 0.5 (the profile's `figure`) to 1 (the upper end), in
// the figure's unit. `of`: the profile's figure at `range.of`. None where the units do not agree.
[[nodiscard]] std::optional<double> at_score(const Range& range, const input::Written& figure,
                                             const std::optional<input::Written>& of, double score);

}  // namespace jostle::calibration
