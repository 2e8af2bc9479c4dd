// Hard and soft interrupts that take a core from its thread: bursts of one length at a fixed rate.
//
// A burst is a pure function of time, so it needs no state and, on an idle core, no event.
#pragma once

#include "sim/time.hpp"

namespace jostle::cpu {

struct Interrupts {
  sim::Duration interval;  // from one burst to the next; zero: there are none
  sim::Duration length;    // duration of a burst, less than the interval
  sim::Duration phase;     // start of the first burst, less than the interval

  [[nodiscard]] bool any() const { return length > sim::Duration::zero(); }
  [[nodiscard]] sim::Duration into(sim::Time now) const {
    return (now - sim::Time::zero() + interval - phase) % interval;
  }
  [[nodiscard]] bool busy(sim::Time now) const { return any() && into(now) < length; }
  // The next begin or end of a burst after `now`.
  [[nodiscard]] sim::Time next_change(sim::Time now) const {
    const sim::Duration since = into(now);
    return now + (since < length ? length - since : interval - since);
  }
  // Time in bursts from the start of the simulation (plus a constant) to `now`.
  [[nodiscard]] sim::Duration total(sim::Time now) const {
    if (!any()) return {};
    const sim::Duration since = now - sim::Time::zero() + interval - phase;
    const sim::Duration part = since % interval;
    return (since / interval) * length + (part < length ? part : length);
  }
};

}  // namespace jostle::cpu
