// One result out of those of independent replications.
#pragma once

#include <vector>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Pools replications of one scenario, at least one: each figure by the rule of its row in fields.hpp.
[[nodiscard]] Result pooled(const std::vector<Result>& replications);

}  // namespace jostle::scenarios
