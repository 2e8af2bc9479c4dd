// Text for HTML and SVG.
#pragma once

#include <string>

namespace jostle::cli {

// Safe between tags: no markup, nothing that cannot be printed.
[[nodiscard]] std::string markup_escaped(const std::string& text);

}  // namespace jostle::cli
