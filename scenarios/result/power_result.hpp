// The board's power, its clocks and what limited them, as metrics of the result.
#pragma once

#include "models/board/power_report.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Adds the power metrics. `images` is the number of images of all processes in the same time; null if it is
// unknown for one of them.
void add_power(SystemResult& system, const board::PowerReport& report, const power::Spec& spec,
               Metric images);

// Sets `limited_by` to the largest entry of `limited_share`, if that is large enough to name.
void name_limit(SystemResult& system);

}  // namespace jostle::scenarios
