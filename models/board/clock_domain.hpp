// A clock domain of a running board: clocks that change together, one for each CPU cluster, or that of the
// GPU or of the memory. Its governor requests, power mode and controllers limit, and a change takes effect
// after a delay.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "models/board/power_report.hpp"
#include "models/power/controllers/throttle.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace jostle::board {

struct Clock {
  std::string name;  // for a timeline
  power::ClockRange range;
  double requested_hz = 0;  // by the governor, within the power mode
  power::Ceiling ceiling = {};
  double hz = 0;  // now
  StateTimes times = {};
  sim::TrackId counter = sim::TrackId::none;

  [[nodiscard]] double due_hz() const { return ceiling.given(requested_hz) * ceiling.ratio; }
  // The cause that limits the clock. A governor that requests the limit would request more if it could.
  [[nodiscard]] power::Cause cause() const {
    return ceiling.binds(requested_hz >= range.limit_hz ? range.highest_hz : requested_hz);
  }
};

struct ClockDomain {
  std::vector<Clock> clocks;  // none: the board has no such domain
  sim::Duration delay;
  sim::EventId change;  // in transit

  void limit(const power::Throttles& throttles);
  // True if a clock is not what it should be by request and limits.
  [[nodiscard]] bool due() const;
  // A change takes effect: the one that is due now, whatever was due when it was begun.
  void apply();
  // Books time at the present clocks.
  void accrue(double seconds);
  void trace(sim::TraceSink& sink, sim::Time now) const;
};

struct ClockDomains {
  ClockDomain cpu, gpu, emc;
  [[nodiscard]] std::array<ClockDomain*, 3> all() { return {&cpu, &gpu, &emc}; }
};

}  // namespace jostle::board
