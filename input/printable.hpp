// Makes text from an input safe to show in a message or on a terminal.
#pragma once

#include <cstddef>
#include <string>

namespace jostle::input {

// `text` cut to about `max_bytes` bytes ("..." marks the cut), with control characters and malformed UTF-8
// written as \n, \t or \xNN.
[[nodiscard]] std::string printable(const std::string& text, std::size_t max_bytes = 60);

}  // namespace jostle::input
