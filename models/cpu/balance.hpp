// Load balance: which waiting (or misplaced) threads a core takes over from others.
#pragma once

#include <vector>

#include "models/cpu/machine.hpp"

namespace jostle::cpu {

// What a balance found.
enum class Outcome : std::uint8_t {
  balanced,  // nothing to do
  pinned,    // too much elsewhere, but no thread of it may run here
  failed,    // too much elsewhere, but nothing of it is movable now
  moving,    // threads to take over
};

struct Pull {
  Outcome outcome = Outcome::balanced;
  std::vector<Thread*> threads = {};  // waiting elsewhere, allowed here
  Thread* running = nullptr;          // to be moved here although it runs (misfit, or active balance)
};

// What `here` should take, seen at one domain level; after load_balance of kernel/sched/fair.c and what it
// calls, by the rules of the machine's kernel (kernel_version.hpp).
//
// The balance compares loads with the average over all online cores of the domain, which includes idle cores
// outside the threads' affinity masks. So where the kernel lets no core above that average pull, threads
// confined to a few cores stay as unevenly spread as they were placed (measured on the H200 host: 1 + 1 + 6
// for a whole run).
[[nodiscard]] Pull find_pull(Machine& machine, const Core& here, DomainLevel level, Idleness idleness,
                             sim::Time now);

}  // namespace jostle::cpu
