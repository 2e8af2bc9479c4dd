// What would be if something were different: changes of a scenario, each a scenario that can be run by
// itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "models/process/resource.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::board {
struct DeviceSpec;
}

namespace jostle::analyses {

using process::Resource;

struct WhatIfBoard {
  scenarios::Scenario scenario;    // as the loader reads it
  std::vector<std::size_t> parts;  // [i]: what part i of it (parts.hpp) is in the scenario before
};

// Clocks that governors set, each by load, both before and after a change that leaves the limits alone.
struct Governed {
  bool cpu = false, gpu = false, emc = false;

  [[nodiscard]] bool any() const { return cpu || gpu || emc; }
};

struct WhatIf {
  std::string name;                  // "one-core-more"
  std::string label;                 // "one core more (4)"
  std::optional<Resource> resource;  // it gives more of this one and of nothing else
  std::vector<WhatIfBoard> boards;   // one; two with a second board
  Governed governed = {};
  bool shares_otherwise = false;  // the same work shares the GPU in another way
};

// Those that apply to a scenario, in the order of interventions() in what_if.cpp. `before`: its answer;
// `directory`: where the files that it names are sought ("" = here). A change that the loader refuses is left
// out.
[[nodiscard]] std::vector<WhatIf> what_ifs(const scenarios::Scenario& scenario,
                                           const board::DeviceSpec& device, const scenarios::Result& before,
                                           const std::string& directory);

// Every name in the table.
[[nodiscard]] std::vector<std::string> what_if_names();

}  // namespace jostle::analyses
