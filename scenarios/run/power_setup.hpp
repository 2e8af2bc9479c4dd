// Who rules the board's clocks in a scenario, and what it is cooled with.
#pragma once

#include <optional>

#include "models/board/dvfs.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {

// A clock that the scenario names stands as given, unless it names a governor for its domain too: then it is
// that governor's upper limit. `limits`: of power mode and scenario. None for a device without power figures.
[[nodiscard]] std::optional<board::DvfsSetup> dvfs_of(const Scenario& scenario,
                                                      const board::DeviceSpec& device,
                                                      const board::PowerMode* mode,
                                                      const board::Clocks& limits);

}  // namespace jostle::scenarios
