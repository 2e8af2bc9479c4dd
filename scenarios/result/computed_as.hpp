// Runtimes whose costs are those of another, for the user.
#pragma once

#include <string>
#include <vector>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// A sentence for each runtime of the result's processes that is computed as another
// (RuntimeTraits::computed_as); they are among its warnings.
[[nodiscard]] std::vector<std::string> computed_as(const Result& result);

}  // namespace jostle::scenarios
