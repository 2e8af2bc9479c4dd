// The choice of the load balance: which waiting (or misplaced) threads a core takes over from others.
#pragma once

#include <vector>

#include "models/cpu/balance_groups.hpp"
#include "models/cpu/machine.hpp"

namespace jostle::cpu {

// The result of a balance.
enum class Outcome : std::uint8_t {
  balanced,  // nothing to do
  pinned,    // other cores have too much, but none of their threads may run here
  failed,    // other cores have too much, but none of their threads is movable now
  moving,    // threads to take over
};

struct Pull {
  Outcome outcome = Outcome::balanced;
  std::vector<Thread*> threads = {};  // they wait elsewhere and are allowed here
  Thread* running = nullptr;          // moved here although it runs (misfit, or active balance)
};

// The threads that `here` should take, seen at one domain level. Follows load_balance of kernel/sched/fair.c
// and its callees, by the rules of the machine's kernel (kernel_version.hpp).
//
// The balance compares loads with the average over all online cores of the domain, which includes idle cores
// outside the threads' affinity masks. So where the kernel lets no core above that average pull, threads
// confined to a few cores stay as unevenly spread as they were placed (measured on the H200 host: 1 + 1 + 6
// for a whole run).
[[nodiscard]] Pull find_pull(Machine& machine, const Core& here, DomainLevel level, Idleness idleness,
                             sim::Time now);

}  // namespace jostle::cpu
