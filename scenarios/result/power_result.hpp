// What the board drew, how its clocks stood and what held them down, as figures of the result.
#pragma once

#include "models/board/dvfs.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// `images`: of all processes, in the same time.
void add_power(SystemResult& system, const board::PowerReport& report, const power::Spec& spec,
               double images);

}  // namespace jostle::scenarios
