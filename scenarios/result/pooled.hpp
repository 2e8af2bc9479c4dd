// Pools the results of independent replications into one.
#pragma once

#include <vector>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Pools at least one replication of a scenario: each metric by the rule of its row in fields.hpp.
[[nodiscard]] Result pooled(const std::vector<Result>& replications);

}  // namespace jostle::scenarios
