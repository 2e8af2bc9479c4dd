// From a scenario and its device's profile to a board that can run: cores, clocks, kernels, processes.
#pragma once

#include <optional>
#include <vector>

#include "models/board/board.hpp"
#include "models/board/dvfs.hpp"
#include "models/memory/admission.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::calibration {
struct Profile;
}

namespace jostle::scenarios {

struct Assembly {
  board::DeviceSpec device;              // as the power mode and the scenario's clocks leave it
  board::Setup setup;                    // of the processes that fit into memory
  std::optional<board::DvfsSetup> dvfs;  // none: nothing is known of the board's power
  memory::Occupancy occupancy;           // of all, in the order of expand()
  std::vector<gpu::Grade> grades;        // of the kernel times, one an entry
};

// Throws RunError for what this build cannot simulate.
[[nodiscard]] Assembly assemble(const Scenario& scenario, const calibration::Profile& profile);

}  // namespace jostle::scenarios
