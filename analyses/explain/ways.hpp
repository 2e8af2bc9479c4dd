// One process or three: the ways in which the same networks can stand on the board, side by side.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyses/explain/what_if.hpp"

namespace jostle::analyses {

struct Explanation;

// Equal processes or streams, in one of the ways.
struct WayPart {
  std::string label;
  scenarios::Metric per_s;            // sum
  scenarios::Metric p99_ms, mean_ms;  // the worst process's; absent if it does not keep up
  bool grows = false;
};

struct Way {
  std::string name, label;           // like a change's; "as it is"
  std::vector<WayPart> parts = {};   // in the order of the scenario; empty: not possible
  scenarios::Metric memory_mb = {};  // all boards together
  std::string isolation = {};        // "a crash takes 1 of 3"
  std::string reason = {};           // why it is not possible
};

// The scenario unchanged; the changes of how the networks share the board, and of where they run; and those
// that are not possible, with the reason. Empty with fewer than two networks.
[[nodiscard]] std::vector<Way> ways_of(const Explanation& explanation, const scenarios::Scenario& scenario,
                                       const board::DeviceSpec& device, const RefusedChanges& refused);

}  // namespace jostle::analyses
