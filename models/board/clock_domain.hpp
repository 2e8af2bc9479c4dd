// A clock domain of a running board: clocks that change together, one for each CPU cluster, or that of the
// GPU or of the memory. Its governor requests, power mode and controllers limit, and a change takes effect
// after a delay.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "models/board/clocks.hpp"
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
  double hz = 0;      // now, with the share of pulses that pass
  double pulses = 1;  // that share
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
  bool powered = true;

  void limit(const power::Throttles& throttles) {
    for (Clock& clock : clocks) clock.ceiling = power::combine(clock.range, throttles);
  }
  // True if a clock is not what it should be by request and limits.
  [[nodiscard]] bool due() const {
    return std::ranges::any_of(clocks, [](const Clock& clock) { return clock.due_hz() != clock.hz; });
  }
  // A change takes effect: the one that is due now, not the one that was due when it was begun.
  void apply() {
    for (Clock& clock : clocks) {
      clock.hz = clock.due_hz();
      clock.pulses = clock.ceiling.ratio;
    }
  }
  // Books time at the present clocks.
  void accrue(double seconds) {
    for (Clock& clock : clocks) {
      const auto at = std::ranges::lower_bound(clock.times, clock.hz, {}, &StateTimes::value_type::first);
      if (at != clock.times.end() && at->first == clock.hz)
        at->second += seconds;
      else
        clock.times.insert(at, {clock.hz, seconds});
    }
  }
  void trace(sim::TraceSink& sink, sim::Time now) const {
    for (const Clock& clock : clocks)
      if (clock.counter != sim::TrackId::none) sink.count(clock.counter, now, clock.hz / 1e6);
  }
};

struct ClockDomains {
  ClockDomain cpu, gpu, emc;
  [[nodiscard]] std::array<ClockDomain*, 3> all() { return {&cpu, &gpu, &emc}; }
  // Their clocks now; 0: none, or not known.
  [[nodiscard]] Clocks now() const {
    Clocks hz;
    for (const Clock& clock : cpu.clocks) hz.clusters_hz.push_back(clock.hz);
    for (const Clock& clock : gpu.clocks) hz.gpu_hz = clock.hz;
    for (const Clock& clock : emc.clocks) hz.emc_hz = clock.hz;
    return hz;
  }
};

}  // namespace jostle::board
