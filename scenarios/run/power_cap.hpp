// Messages about power caps and limits that a board cannot keep, before a run and after it.
#pragma once

#include <string>

#include "models/board/power_report.hpp"
#include "models/power/energy.hpp"

namespace jostle::scenarios {

struct Assembly;

// The activity of one second in which the idle board is at its clocks, with its GPU powered.
[[nodiscard]] power::Activity idle_second(const Assembly& assembly);

// A sentence if the budget is below the idle power of the board at its lowest clocks; else empty.
[[nodiscard]] std::string unreachable_budget(const Assembly& assembly);
// A sentence if the board drew more than the budget and had no clock left to lower; else empty.
[[nodiscard]] std::string unmet_budget(const Assembly& assembly, const board::PowerReport& report);

}  // namespace jostle::scenarios
