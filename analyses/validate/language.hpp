// Validation of language models: published rates of boards, and a GPU that they share with image networks.
#pragma once

#include <functional>
#include <vector>

#include "analyses/evidence/comparison.hpp"

namespace jostle::analyses {

// The groups, in this order:
//  - evidence/language/published.csv: values by quantity, then views of them by runtime, laboratory and
//  device.
//    Figures of a runtime and of a board are fitted on some of these laboratories (docs/validation.md says
//    which); no factor is fitted on any row.
//  - evidence/h200-llm: rates of each process or stream beside others, in time slices, under MPS and as
//  streams of
//    one process, and the 99th percentile of cameras. Nothing is fitted on runs of several.
// Rows with a mark are not compared. `progress` gets the share done, by one thread at a time; it may throw.
[[nodiscard]] std::vector<ComparisonGroup> validate_language(
    const std::function<void(double)>& progress = {});

}  // namespace jostle::analyses
