// Power of the board, its clocks and what limited them, as metrics of the result.
#pragma once

#include "models/board/dvfs.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// `images`: number of images of all processes in the same time; null if it is not known of every process.
void add_power(SystemResult& system, const board::PowerReport& report, const power::Spec& spec,
               Metric images);

// Sets `limited_by` to the largest of `limited_share` if it is worth naming.
void name_limit(SystemResult& system);

}  // namespace jostle::scenarios
