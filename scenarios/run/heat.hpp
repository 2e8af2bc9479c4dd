// Predicts where the temperature and the power of a board settle under the load of a run.
#pragma once

#include <optional>

#include "models/board/dvfs.hpp"
#include "models/power/controllers/forecast.hpp"
#include "models/power/spec.hpp"
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

}  // namespace jostle::scenarios
