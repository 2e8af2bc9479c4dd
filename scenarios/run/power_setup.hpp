// The governors and controllers that set the board's clocks in a scenario, and the cooling of the board.
#pragma once

#include <optional>

#include "models/board/dvfs_setup.hpp"
#include "models/board/spec.hpp"

namespace jostle::scenarios {

struct Scenario;

// A clock given in the scenario is fixed, unless the scenario also names a governor for that domain: then it
// is the governor's upper limit. `limits` are the clock limits of power mode and scenario. Absent for a
// device without power parameters.
[[nodiscard]] std::optional<board::DvfsSetup> dvfs_of(const Scenario& scenario,
                                                      const board::DeviceSpec& device,
                                                      const board::PowerMode* mode,
                                                      const board::Clocks& limits);

}  // namespace jostle::scenarios
