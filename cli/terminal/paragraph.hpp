// Words set in lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jostle::cli {

// Prose is not set wider than this, however wide the terminal is.
inline constexpr int widest_prose = 100;

// `text` broken between words into lines of at most `width` columns where they allow it, each indented by as
// many spaces and ended by a newline.
[[nodiscard]] std::string paragraph(std::string_view text, int width, int indent);

// A bar for a share from 0 to 1, of at most `columns`; whatever is more than nothing shows.
[[nodiscard]] std::string bar(double share, int columns);

// As many significant digits, never as a power of ten.
[[nodiscard]] std::string significant(double value, int digits);
[[nodiscard]] std::string significant(const std::optional<double>& value, int digits);  // "–" for none

}  // namespace jostle::cli
