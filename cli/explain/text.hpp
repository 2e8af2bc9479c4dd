// Explanations for people, and for programs.
#pragma once

#include <string>

#include "analyses/explain/explain.hpp"

namespace jostle::cli {

// Lines of at most `width` columns where the words allow it (60 always do).
[[nodiscard]] std::string explanation_text(const analyses::Explanation& explanation, int width, bool colour);

// {"schema":"jostle.explain/1",...} without a newline; keys: docs/explain.md.
[[nodiscard]] std::string explanation_json(const analyses::Explanation& explanation);

}  // namespace jostle::cli
