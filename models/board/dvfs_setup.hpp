// The settings of clock control, from a scenario and its device.
#pragma once

#include <optional>

#include "models/board/clocks.hpp"
#include "models/power/controllers/spec.hpp"
#include "models/power/controllers/thermal.hpp"
#include "models/power/governors/spec.hpp"

namespace jostle::board {

struct DvfsSetup {
  Clocks limits;  // the maximum of each domain; kernel times refer to these
  // Domains fixed at their limit; the others are governed according to `scaling`.
  bool cpu_pinned = true, gpu_pinned = true, emc_pinned = true;
  power::ScalingSpec scaling;
  std::optional<power::PowerCapSpec> cap;
  std::optional<power::PowerLimitSpec> limit;
  power::OverCurrentLimits over_current;
  double ambient_c = 25;
  bool fan = true;
  std::optional<power::Thermal> heat;  // state after an earlier run; none: a board long idle
};

}  // namespace jostle::board
