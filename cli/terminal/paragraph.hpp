// Line breaking, bars and number formatting.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jostle::cli {

// Maximum line width of prose, also on wider terminals.
inline constexpr int max_prose_width = 100;

// `text` broken at spaces into lines of at most `width` columns (longer words are not broken), each indented
// by `indent` spaces and ended by a newline. `text` may be any text: it is shown as by input::printable.
[[nodiscard]] std::string paragraph(std::string_view text, int width, int indent);

// A bar for a share from 0 to 1, at most `columns` wide; a positive share is always visible.
[[nodiscard]] std::string bar(double share, int columns);

// `value` with `digits` significant digits, never in exponential notation.
[[nodiscard]] std::string significant(double value, int digits);
[[nodiscard]] std::string significant(const std::optional<double>& value, int digits);  // "–" if absent

// A relative difference in percent, with its sign: "+9.1"; "–" if absent.
[[nodiscard]] std::string signed_percent(const std::optional<double>& share);

// Line breaking of help: descriptions of options stay in their column, and examples stay valid shell
// commands.

// `help`, in CLI11's format, broken into lines of at most `width` columns if no word is longer.
[[nodiscard]] std::string help_text(const std::string& help, int width);

// The column at which descriptions of options begin, for CLI11.
[[nodiscard]] std::size_t description_column(int width);

}  // namespace jostle::cli
