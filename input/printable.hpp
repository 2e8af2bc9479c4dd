// Makes text from an input safe to show in a message or on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jostle::input {

// `text` cut to about `max_bytes` bytes ("..." marks the cut), on one line: characters that move the cursor,
// set colours, change the direction of writing or have no width (C0, C1, bidi, zero-width, line separators)
// and malformed UTF-8 are written as \n, \t, \xNN or \uNNNN.
[[nodiscard]] std::string printable(std::string_view text, std::size_t max_bytes = 60);

// `text` made safe in the same way, but with its line ends kept and without a cut.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace jostle::input
