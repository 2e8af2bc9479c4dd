// Explanations as text.
#pragma once

#include <string>

#include "analyses/explain/explain.hpp"
#include "cli/page/html_page.hpp"

namespace jostle::cli {

// Lines of at most `width` columns if no word is longer (60 is always enough).
[[nodiscard]] std::string explanation_text(const analyses::Explanation& explanation, int width, bool colour);

// The same for the head of a page.
[[nodiscard]] PageWords explanation_words(const analyses::Explanation& explanation);

}  // namespace jostle::cli
