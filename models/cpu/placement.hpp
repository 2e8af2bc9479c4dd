// The core that a thread goes to when it is created or woken, by Linux's rules.
#pragma once

#include "models/cpu/machine.hpp"

namespace jostle::cpu {

// Places a new thread (the slow path, find_idlest_cpu): the cluster with most idle allowed cores; in it the
// first idle core, else the least loaded. Ties: the lowest number.
[[nodiscard]] int place_new(const Machine& machine, const Thread& thread, sim::Time now);

// Places a woken thread: its previous core or the waker's, if idle; else an idle core that shares its cache
// with that core; else that core although it is busy. On unequal cores: an idle core whose capacity fits the
// thread. `waker`: the core that the wake-up comes from (an interrupt's core, for example), -1 if unknown.
// Brings the thread's utilisation up to `now`.
[[nodiscard]] int place_woken(const Machine& machine, Thread& thread, int waker, sim::Time now);

}  // namespace jostle::cpu
