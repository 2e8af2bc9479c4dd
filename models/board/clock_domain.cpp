#include "models/board/clock_domain.hpp"

#include <algorithm>

namespace jostle::board {

void ClockDomain::limit(const power::Throttles& throttles) {
  for (Clock& clock : clocks) clock.ceiling = power::combine(clock.range, throttles);
}

bool ClockDomain::due() const {
  return std::ranges::any_of(clocks, [](const Clock& clock) { return clock.due_hz() != clock.hz; });
}

void ClockDomain::apply() {
  for (Clock& clock : clocks) clock.hz = clock.due_hz();
}

void ClockDomain::accrue(double seconds) {
  for (Clock& clock : clocks) {
    const auto at = std::ranges::lower_bound(clock.times, clock.hz, {}, &StateTimes::value_type::first);
    if (at != clock.times.end() && at->first == clock.hz)
      at->second += seconds;
    else
      clock.times.insert(at, {clock.hz, seconds});
  }
}

void ClockDomain::trace(sim::TraceSink& sink, sim::Time now) const {
  for (const Clock& clock : clocks)
    if (clock.counter != sim::TrackId::none) sink.count(clock.counter, now, clock.hz / 1e6);
}

}  // namespace jostle::board
