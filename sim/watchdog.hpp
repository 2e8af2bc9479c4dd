// How a run ends, what counts as stuck, and the report that names who waits on whom.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/time.hpp"

namespace jostle::sim {

enum class RunEnd {
  time_reached,  // the clock stands at the asked time
  drained,       // nothing is left to happen, and nobody waits
  stopped,       // Engine::stop
  stuck,         // the run cannot go on or does not get on: see Engine::stuck_report
  interrupted,   // the interrupt flag was raised
};

struct Watchdog {
  // More events and resumptions than this without the clock moving is a loop. Far above any honest burst.
  std::uint64_t events_at_one_time = 10'000'000;
  // Simulated time without Engine::progress() after which nothing useful is taken to happen any more.
  Duration without_progress = Duration::max();
};

struct StuckReport {
  struct Waiting {
    std::string process;
    std::string waits_for;  // empty: not waiting for anything named (in a delay, or about to run)
    std::string held_by;    // empty: nobody known
  };
  Time at;
  std::string reason;
  std::vector<Waiting> processes;  // in order of start

  // The report as lines for people.
  [[nodiscard]] std::string text() const;
};

}  // namespace jostle::sim
