// The comparison of two scenarios in words, for terminal and page.
#pragma once

#include "analyses/compare/compare.hpp"
#include "cli/page/html_page.hpp"

namespace jostle::cli {

[[nodiscard]] PageWords comparison_words(const analyses::Compared& compared,
                                         const analyses::ComparedNames& names);

}  // namespace jostle::cli
