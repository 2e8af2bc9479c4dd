// Power caps that a board cannot keep: what can be told of them before a run, and after it.
#pragma once

#include <string>

#include "models/board/dvfs.hpp"
#include "models/power/energy.hpp"

namespace jostle::scenarios {

struct Assembly;

// A second of the board at its clocks with nothing to do, its GPU powered.
[[nodiscard]] power::Activity idle_second(const Assembly& assembly);

// A sentence if the budget is below what the board draws at its lowest clocks with nothing to do; else empty.
[[nodiscard]] std::string unreachable_cap(const Assembly& assembly);
// A sentence if the board drew more than the budget and had no clock left to lower; else empty.
[[nodiscard]] std::string unmet_cap(const Assembly& assembly, const board::PowerReport& report);

}  // namespace jostle::scenarios
