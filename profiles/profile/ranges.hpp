// The published ranges of parameters, for boards on which they were not measured (ranges.csv).
//
// A parameter that is neither `measured` nor `fitted` is drawn: half of the draws lie below the profile's
// value and half above, uniformly in the logarithm (uniformly in the value if an end is 0), and nine in ten
// within the range. A value outside its range widens the range.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/quantity.hpp"

namespace jostle::profiles {

struct Range {
  std::string path;      // path of the parameter in a profile
  std::string from, to;  // with units, as in a profile; "0.5 x": times the profile's value, or that at `of`
  std::string of;        // path of the parameter that it is drawn relative to; empty: none
  std::string source;
};

[[nodiscard]] const std::vector<Range>& ranges();

// The range of a parameter; null if there is none.
[[nodiscard]] const Range* range_of(std::string_view path);

// The value at `score`, in the unit of `value`: 0.05 is the lower end, 0.5 `value` (the profile's) and
// 0.95 the upper end; scores from 0 to 1 are valid. `of` is the profile's value at `range.of`. Absent if the
// units do not agree.
[[nodiscard]] std::optional<double> at_score(const Range& range, const input::Written& value,
                                             const std::optional<input::Written>& of, double score);

}  // namespace jostle::profiles
