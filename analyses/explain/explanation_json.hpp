// An explanation as one JSON object.
#pragma once

#include <string>

#include "analyses/explain/explain.hpp"

namespace jostle::analyses {

// {"schema":"jostle.explain/1",...} without a newline; keys: docs/explain.md.
[[nodiscard]] std::string explanation_json(const Explanation& explanation);

}  // namespace jostle::analyses
