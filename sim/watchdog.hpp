// The ends of a run, the conditions under which it counts as stuck, and the report of waiting processes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/time.hpp"

namespace jostle::sim {

enum class RunEnd {
  time_reached,  // the clock has reached the requested time
  drained,       // no event is pending and no worker waits
  stopped,       // Engine::stop
  stuck,         // the run cannot continue or makes no progress: see Engine::stuck_report
  interrupted,   // the interrupt flag was set
};

struct Watchdog {
  // More events and resumptions than this at one instant count as an endless loop. The limit is far above any
  // real burst.
  std::uint64_t events_at_one_time = 10'000'000;
  // The run is stuck after this much simulated time without Engine::progress().
  Duration without_progress = Duration::max();
};

struct StuckReport {
  struct Waiting {
    std::string process;
    std::string waits_for;  // empty: it does not wait for a named object (in a delay, or about to run)
    std::string held_by;    // empty: unknown
  };
  Time at;
  std::string reason;
  std::vector<Waiting> processes;  // in starting order

  // The report as text, several lines.
  [[nodiscard]] std::string text() const;
};

}  // namespace jostle::sim
