// Escaping of text for HTML and SVG.
#pragma once

#include <string>

namespace jostle::cli {

// Escapes <, > and & and replaces characters that cannot be printed.
[[nodiscard]] std::string markup_escaped(const std::string& text);

}  // namespace jostle::cli
