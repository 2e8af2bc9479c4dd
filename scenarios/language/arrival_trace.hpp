// A file of arrival times: one time in seconds a line, or CSV whose header has a column `time_s`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/problems.hpp"
#include "sim/time.hpp"

namespace jostle::scenarios {

inline constexpr std::size_t max_trace_bytes = 64 << 20;

// The times, ascending (equal ones allowed). A garbled number, a time before its predecessor, a missing field
// or a last line that does not end (a truncated file) is a problem with its line.
[[nodiscard]] std::optional<std::vector<sim::Time>> read_arrival_trace(const std::string& path,
                                                                       input::Problems& problems);
// The same for text; `origin` names it in messages.
[[nodiscard]] std::optional<std::vector<sim::Time>> parse_arrival_trace(const std::string& text,
                                                                        const std::string& origin,
                                                                        input::Problems& problems);

}  // namespace jostle::scenarios
