// Changes of a scenario for "what if" questions. Each is a scenario that can be run by itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/process/resource.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::board {
struct DeviceSpec;
}

namespace jostle::analyses {

// The subjects of changes. Changes of one subject are alternatives: of these only the best leads.
enum class ChangeKind : std::uint8_t {
  hardware,
  limits,
  power_mode,
  clocks,
  precision,
  placement,
  batch,
  arrivals,
  sharing,
  cores,
  priority,
  sync,
  stages,
  company,
  boards,
  threads,
  overlap,
  pair,
};

[[nodiscard]] constexpr std::string_view to_string(ChangeKind kind) {
  constexpr std::array<std::string_view, 18> names{
      "hardware", "limits",   "power_mode", "clocks",  "precision", "placement",
      "batch",    "arrivals", "sharing",    "cores",   "priority",  "sync",
      "stages",   "company",  "boards",     "threads", "overlap",   "pair"};
  static_assert(names.size() == static_cast<std::size_t>(ChangeKind::pair) + 1);
  return names.at(static_cast<std::size_t>(kind));
}

using process::Resource;

struct WhatIfBoard {
  scenarios::Scenario scenario;    // read again by the loader
  std::vector<std::size_t> parts;  // [i]: index before the change of its part i (parts.hpp)
};

// The clocks that governors set by load, both before and after a change. None after a change of the power
// mode.
struct Governed {
  bool cpu = false, gpu = false, emc = false;

  [[nodiscard]] bool any() const { return cpu || gpu || emc; }
};

// The use of a change: one can make it; it takes away a cause, such as heat, or what the user asks for, which
// shows what that costs; or it multiplies a part of the board, which shows what is short.
enum class Role { advice, cause, hypothesis };
[[nodiscard]] const char* to_string(Role role);

struct WhatIf {
  std::string name;                  // "one-core-more"; several changes may have it, such as power modes
  std::string label;                 // "one core more (4)"
  std::optional<Resource> resource;  // the one resource of which it gives more; none: no or several resources
  std::vector<WhatIfBoard> boards;   // one board, or two with a second board
  Governed governed = {};
  bool shares_otherwise = false;  // the same work shares the GPU in another way
  ChangeKind kind = ChangeKind::hardware;
  Role role = Role::hypothesis;
  double price = 1;       // the boards' price after it, over that of this board
  std::string note = {};  // the layers that fall back to the GPU, if it moves a network to a DLA
};

// Changes that the loader refused, by name, with its reason.
using RefusedChanges = std::vector<std::pair<std::string, std::string>>;

// The changes that apply to a scenario, in the order of interventions() in what_if.cpp. `before`: the
// scenario's result; `directory`: where its files are searched ("" = working directory). A change that the
// loader refuses is left out; `refused` gets its name and the reason.
[[nodiscard]] std::vector<WhatIf> what_ifs(const scenarios::Scenario& scenario,
                                           const board::DeviceSpec& device, const scenarios::Result& before,
                                           const std::string& directory, RefusedChanges* refused = nullptr);

// Every name in the table.
[[nodiscard]] std::vector<std::string> what_if_names();

}  // namespace jostle::analyses
