// From a scenario and its device's profile to a board that can run: cores, clocks, kernels, processes.
#pragma once

#include "calibration/profile/profile.hpp"
#include "models/board/board.hpp"
#include "scenarios/scenario.hpp"

namespace jostle::scenarios {

struct Assembly {
  board::DeviceSpec device;  // as the power mode and the scenario's clocks leave it
  board::Setup setup;
  double gpu_clock_hz = 0;
};

// Throws RunError for what this build cannot simulate.
[[nodiscard]] Assembly assemble(const Scenario& scenario, const calibration::Profile& profile);

}  // namespace jostle::scenarios
