// Finds the temperatures to which a load settles, as the state in which a run begins.
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
  bool settled = true;                 // false: `heat` is what was reached after a bounded number of runs
  bool shuts_down = false;             // true: the load heats the board until it shuts down
};

// Runs the scenario for short times, each from the thermal state at which the previous one ended. As long as
// no clock is lowered, the power of a run predicts where its temperature settles (power::forecast), and the
// next run begins there. At the trip point the governor holds the chip's temperature, and runs continue until
// the power settles. Throws RunError, Interrupted.
[[nodiscard]] Equilibrium thermal_equilibrium(const Scenario& scenario, const Assembly& assembly,
                                              const RunControl& control);

}  // namespace jostle::scenarios
