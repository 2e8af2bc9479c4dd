// The comparison of two scenarios as text.
#pragma once

#include <string>

#include "analyses/compare/compare.hpp"
#include "cli/page/html_page.hpp"

namespace jostle::cli {

// Lines of at most `width` columns if no word is longer (60 is always enough).
[[nodiscard]] std::string comparison_text(const analyses::Compared& compared,
                                          const analyses::ComparedNames& names, int width, bool colour);

// The same for the head of a page.
[[nodiscard]] PageWords comparison_words(const analyses::Compared& compared,
                                         const analyses::ComparedNames& names);

}  // namespace jostle::cli
