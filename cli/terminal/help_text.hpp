// Line breaking of help: descriptions of options stay in their column, and examples stay valid shell
// commands.
#pragma once

#include <string>

namespace jostle::cli {

// `help`, in CLI11's format, broken into lines of at most `width` columns if no word is longer.
[[nodiscard]] std::string help_text(const std::string& help, int width);

// The column at which descriptions of options begin, for CLI11.
[[nodiscard]] std::size_t description_column(int width);

}  // namespace jostle::cli
