// From a scenario and its device's profile to a board that can be simulated: cores, clocks, kernels,
// processes.
#pragma once

#include <optional>
#include <vector>

#include "models/board/board.hpp"
#include "models/board/dvfs.hpp"
#include "models/memory/admission.hpp"

namespace jostle::scenarios {
struct Scenario;
struct SharedWork;
}  // namespace jostle::scenarios

namespace jostle::calibration {
struct Profile;
}

namespace jostle::scenarios {

struct Assembly {
  board::DeviceSpec device;              // after applying the power mode and the scenario's clocks
  board::Setup setup;                    // of the processes that fit into memory
  std::optional<board::DvfsSetup> dvfs;  // none: the board's power is not known
  memory::Occupancy occupancy;           // of all processes, in the order of expand()
  std::vector<gpu::Grade> grades;        // of the kernel times, one for each entry
};

// Throws RunError if this build cannot simulate the scenario. `shared`: with other runs on this profile;
// null: with none.
[[nodiscard]] Assembly assemble(const Scenario& scenario, const calibration::Profile& profile,
                                SharedWork* shared = nullptr);

}  // namespace jostle::scenarios
