// The temperatures that a load itself settles to, as the state in which a run begins.
#pragma once

#include <optional>
#include <string>

#include "models/power/controllers/thermal.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::scenarios {

struct Equilibrium {
  std::optional<power::Thermal> heat;  // none: the device has no thermal parameters
  bool settled = true;                 // else what was reached in the bounded time
  bool shuts_down = false;             // the load heats the board until it shuts down
};

// Runs the scenario for short times, each from the heat of the one before it. As long as no clock is lowered,
// the power of a run tells where its temperature settles (power::forecast), and the next one begins there. At
// the trip point the governor holds the chip's temperature, and runs go on until power is what keeps it
// there. Throws RunError, Interrupted.
[[nodiscard]] Equilibrium thermal_equilibrium(const Scenario& scenario, const Assembly& assembly,
                                              const RunControl& control);

}  // namespace jostle::scenarios
