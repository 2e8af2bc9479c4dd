// The values of one key of a study: a list, or a range with its stop included.
#pragma once

#include <vector>

#include "input/cursor.hpp"

namespace jostle::analyses {

inline constexpr std::size_t max_axis_values = 100'000;

// The values of a key. For [1, 2, 4] the items; for {start: 300 MHz, stop: 900 MHz, step: 100 MHz} the exact
// decimal numbers start + k · step up to stop, each with the unit. Empty, with a problem, for anything else.
[[nodiscard]] std::vector<input::Node> read_axis_values(const input::Cursor& at);

}  // namespace jostle::analyses
