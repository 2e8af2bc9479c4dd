// Line breaking of help: options keep their description in its column, examples stay commands that a shell
// takes.
#pragma once

#include <string>

namespace jostle::cli {

// `help`, as CLI11 writes it, in lines of at most `width` columns where words allow it.
[[nodiscard]] std::string help_text(const std::string& help, int width);

// The column at which descriptions of options begin, for CLI11.
[[nodiscard]] std::size_t description_column(int width);

}  // namespace jostle::cli
