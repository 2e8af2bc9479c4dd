// Validation of the host's side on an H200: few cores, background loads on them, and sources that poll.
#pragma once

#include <functional>
#include <vector>

#include "calibration/evidence/comparison.hpp"

namespace jostle::calibration {

// The groups, in this order; `progress` gets the share done, by one thread at a time, and may throw:
//  - equal processes that outnumber their cores (evidence/h200-host/few_cores.csv);
//  - the same beside background loads on these cores;
//  - equal processes that have a core each;
//  - processes of several networks that were drawn at random (evidence/h200-random/mixes.csv), whose sources
//  of
//    requests poll: the images/s of those in a closed loop, by kind of runtime and number of cores, and the
//    p50 of the others.
// Equal processes are compared by rank, because it is random which of them share a core.
[[nodiscard]] std::vector<ComparisonGroup> validate_host(const std::function<void(double)>& progress = {});

}  // namespace jostle::calibration
