// Predicts where the temperature and the power of a board settle under the load of a run.
#pragma once

#include <optional>

#include "models/board/dvfs.hpp"
#include "models/power/controllers/forecast.hpp"
#include "models/power/controllers/thermal.hpp"
#include "models/power/spec.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"
#include "scenarios/run/run.hpp"
#include "sim/time.hpp"

namespace jostle::scenarios {

struct Heat {
  double watts = 0, celsius = 0;  // means over the measured time
  power::Thermal thermal;         // thermal state at its end
  // True if the trip point held clocks down. The governor then controls the mean temperature, and the power
  // at that temperature, `settled_w`, may still change as heat spreads into the slow parts.
  bool held = false;
  bool lowest = false;  // true: clocks were at their lowest all the time
  // The forecast at the present clocks: up to the trip point or, if clocks are at their lowest, up to the
  // shutdown temperature. Meaningless if `held`.
  power::Forecast ahead;
  double settled_w = 0;  // power in the end, or when the trip point is reached
  // True if the final power differs from the mean by more than `tolerance`, as a share of the mean.
  [[nodiscard]] bool moves(double tolerance) const;
};

// Absent for a device without thermal parameters, and before any time has passed.
[[nodiscard]] std::optional<Heat> heat_of(const board::Dvfs& dvfs, const board::PowerReport& report,
                                          const power::Spec& spec, sim::Time begin);

// Finds the temperatures to which a load settles, as the state in which a run begins.
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
