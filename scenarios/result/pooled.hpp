// One result out of those of independent replications.
#pragma once

#include <vector>

#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Of replications of one scenario, at least one. A figure is the mean over the replications, and absent where
// one of them lacks it; ci95 is Student's t on those means. Counts (images, drops, latency_ms.n) and the
// simulated time are sums. `stable` and `stationary` are as most of them are.
[[nodiscard]] Result pooled(const std::vector<Result>& replications);

}  // namespace jostle::scenarios
