// Where the temperature and the power of a board settle under the load of a run.
#pragma once

#include <optional>

#include "models/board/dvfs.hpp"
#include "models/power/controllers/forecast.hpp"
#include "models/power/spec.hpp"
#include "sim/time.hpp"

namespace jostle::scenarios {

struct Heat {
  double watts = 0, celsius = 0;  // means of the measured time
  power::Thermal thermal;         // at its end
  // The trip point held clocks down. Then the mean temperature is what the governor makes of it, and what may
  // still move is the power that keeps it there, `settled_w`, as heat spreads into the slow parts.
  bool held = false;
  bool lowest = false;  // clocks were as low as they go all the time
  // With the clocks as they are: up to where heat lowers them or, if they are the lowest, to where the board
  // shuts down. Of no use if `held`.
  power::Forecast ahead;
  double settled_w = 0;  // power in the end; up to the trip point, if it is reached
  // Whether the power of the end differs from the mean by more than a share of it.
  [[nodiscard]] bool moves(double tolerance) const;
};

// None for a device without thermal parameters, and before any time has passed.
[[nodiscard]] std::optional<Heat> heat_of(const board::Dvfs& dvfs, const board::PowerReport& report,
                                          const power::Spec& spec, sim::Time begin);

}  // namespace jostle::scenarios
