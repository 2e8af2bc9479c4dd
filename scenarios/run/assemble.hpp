// Assembles a board that can be simulated (cores, clocks, kernels, processes) from a scenario and the profile
// of its device.
#pragma once

#include <optional>
#include <vector>

#include "models/board/board.hpp"
#include "models/board/dvfs_setup.hpp"
#include "models/memory/admission.hpp"

namespace jostle::scenarios {
struct Scenario;
struct SharedWork;
}  // namespace jostle::scenarios

namespace jostle::profiles {
struct Profile;
}

namespace jostle::scenarios {

struct Assembly {
  board::DeviceSpec device;              // spec with the power mode and the scenario's clocks applied
  board::Setup setup;                    // setup with the processes that fit into memory
  std::optional<board::DvfsSetup> dvfs;  // none: the board's power is not modelled
  memory::Occupancy occupancy;           // occupancy by all processes, in the order of expand()
  std::vector<gpu::Grade> grades;        // grades of the kernel times, one per entry
};

// Throws RunError if this build cannot simulate the scenario. `shared` is the work shared with other runs on
// this profile; null: none is shared.
[[nodiscard]] Assembly assemble(const Scenario& scenario, const profiles::Profile& profile,
                                SharedWork* shared = nullptr);

}  // namespace jostle::scenarios
