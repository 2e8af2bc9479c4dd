// The governors and controllers that set the board's clocks in a scenario, and the cooling of the board.
#pragma once

#include <optional>
#include <string>

#include "models/board/dvfs_setup.hpp"
#include "models/board/power_report.hpp"
#include "models/board/spec.hpp"
#include "models/power/energy.hpp"

namespace jostle::scenarios {

struct Scenario;

// A clock given in the scenario is fixed, unless the scenario also names a governor for that domain: then it
// is the governor's upper limit. `limits` are the clock limits of power mode and scenario. Absent for a
// device without power parameters.
[[nodiscard]] std::optional<board::DvfsSetup> dvfs_of(const Scenario& scenario,
                                                      const board::DeviceSpec& device,
                                                      const board::PowerMode* mode,
                                                      const board::Clocks& limits);

// Messages about power caps and limits that a board cannot keep, before a run and after it.
struct Assembly;

// The activity of one second in which the idle board is at its clocks, with its GPU powered.
[[nodiscard]] power::Activity idle_second(const Assembly& assembly);

// A sentence if the budget is below the idle power of the board at its lowest clocks; else empty.
[[nodiscard]] std::string unreachable_budget(const Assembly& assembly);
// A sentence if the board drew more than the budget and had no clock left to lower; else empty.
[[nodiscard]] std::string unmet_budget(const Assembly& assembly, const board::PowerReport& report);

}  // namespace jostle::scenarios
