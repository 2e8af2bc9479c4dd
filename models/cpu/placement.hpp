// Which core a thread goes to when it is created or woken, as Linux chooses.
#pragma once

#include "models/cpu/machine.hpp"

namespace jostle::cpu {

// A new thread (the slow path, find_idlest_cpu): the cluster with most idle allowed cores, in it the first
// idle core, else the least loaded; ties to the lowest number.
[[nodiscard]] int place_new(const Machine& machine, const Thread& thread, sim::Time now);

// A woken thread: its previous core or the waker's, if idle; else an idle core that shares that one's cache;
// else that one, busy as it is. On unequal cores, an idle core whose capacity fits the thread. `waker`: the
// core the wake-up comes from (an interrupt's, say), -1 if unknown. Brings the thread's utilisation up to
// `now`.
[[nodiscard]] int place_woken(const Machine& machine, Thread& thread, int waker, sim::Time now);

}  // namespace jostle::cpu
