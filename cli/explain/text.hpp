// Explanations for people.
#pragma once

#include <string>

#include "analyses/explain/explain.hpp"

namespace jostle::cli {

// Lines of at most `width` columns where the words allow it (60 always do).
[[nodiscard]] std::string explanation_text(const analyses::Explanation& explanation, int width, bool colour);

}  // namespace jostle::cli
