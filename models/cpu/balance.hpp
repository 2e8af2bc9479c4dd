// Load balance: which waiting (or misplaced) threads a core takes over from others.
#pragma once

#include <vector>

#include "models/cpu/machine.hpp"

namespace jostle::cpu {

enum class Idleness : std::uint8_t { busy, idle, newly_idle };

struct Pull {
  std::vector<Thread*> threads;  // waiting elsewhere, allowed here; empty: nothing to do or nothing movable
  bool wanted = false;           // there is an imbalance, whether or not something was movable
  Thread* misfit = nullptr;      // running on a core too small for it: to be moved here at once
};

// What `here` should take, seen at one domain level; after find_busiest_group and calculate_imbalance of
// kernel/sched/fair.c (5.10 and later; the check of the local load against the average, of 6.5, is applied to
// all versions: with 4.9's older formula the outcome is the same).
//
// The balance compares loads with the average over all online cores of the domain, which includes idle cores
// outside the threads' affinity masks. So a core that is busy above that average pulls nothing, and threads
// confined to a few cores stay as unevenly spread as they were placed (measured on the H200 host: 1 + 1 + 6
// for a whole run).
[[nodiscard]] Pull find_pull(Machine& machine, const Core& here, DomainLevel level, Idleness idleness,
                             sim::Time now);

}  // namespace jostle::cpu
