// Estimates how long a run occupies a core of the simulating machine; it distinguishes seconds from hours.
//
// The estimate is a function of the scenario and its board alone: the operations of a simulated second, times
// the measured cost of each (cpu_time.cpp).
#pragma once

namespace jostle::scenarios {

struct Assembly;
struct Scenario;

// CPU time of one replication, in seconds. With `until` it is that of the longest run. The search for a
// warm-up is not included.
[[nodiscard]] double cpu_seconds(const Scenario& scenario, const Assembly& assembly);

// CPU time from which users are notified before they wait, in seconds.
inline constexpr double worth_telling_s = 10;
// CPU time of what nobody asked for, at most, in seconds.
inline constexpr double most_unasked_s = 60;

}  // namespace jostle::scenarios
