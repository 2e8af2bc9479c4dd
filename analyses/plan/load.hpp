// The load that a scenario is asked for: requests that arrive whether or not they are served, and how they
// grow.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {

enum class LoadUnit : std::uint8_t { cameras, processes, percent };

// The load in whole units. Cameras: periodic sources of the only entry that has requests, if it has several
// a process. Processes: those of that entry. Percent: of the rates of all requests, 100 as the scenario has
// them.
struct Load {
  LoadUnit unit = LoadUnit::percent;
  std::int64_t asked = 100;
  std::size_t entry = 0;             // index of cameras and processes, in Scenario::processes
  std::optional<double> rate_per_s;  // requests/s of one camera, one process, or the only process; else none
};

// None: nothing arrives by itself, as with closed loops and clients.
[[nodiscard]] std::optional<Load> load_of(const scenarios::Scenario& scenario);

// The scenario with the load at this count, and queues without limits: whether it keeps up is then a matter
// of its capacity alone. Traces are compressed, and the run with them.
[[nodiscard]] scenarios::Scenario at_load(const scenarios::Scenario& scenario, const Load& load,
                                          std::int64_t count);
// The same with the rates of all requests times this factor.
[[nodiscard]] scenarios::Scenario at_rate(const scenarios::Scenario& scenario, double factor);

// The entry with this number of cameras, spread evenly over at most its `count` processes: one entry, or two
// that differ by a camera a process.
[[nodiscard]] std::vector<scenarios::ProcessEntry> spread_cameras(const scenarios::ProcessEntry& entry,
                                                                  std::int64_t cameras);

}  // namespace jostle::analyses
