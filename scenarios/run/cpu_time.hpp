// How long a run may take of a core of the machine that simulates it: an estimate that tells seconds from
// hours.
//
// It is a function of the scenario and its board alone: what a run executes in a simulated second, times what
// that took when it was measured (cpu_time.cpp).
#pragma once

namespace jostle::scenarios {

struct Assembly;
struct Scenario;

// Of one replication, in seconds. Of `until` it is the longest run; of a warm-up that is looked for, without
// it.
[[nodiscard]] double cpu_seconds(const Scenario& scenario, const Assembly& assembly);

// From here on people are told before they wait.
inline constexpr double worth_telling_s = 60;

}  // namespace jostle::scenarios
