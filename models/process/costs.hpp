// What a process pays its runtime: the runtime's own costs, less what a static graph saves, plus what an
// observer adds; and what it pays once, before its first batch.
#pragma once

#include <vector>

#include "models/process/spec.hpp"

namespace jostle::process {

// What its runtime, its way of waiting and the device make of a process.
struct Costs {
  RuntimeSpec runtime;
  SyncSpec sync;
  bool refill_prolongs_turn = true;
  sim::Duration dla_border;           // dla::Spec::border
  std::vector<Costs> instances = {};  // as Spec::instances
};

// The costs of `runtime` to a process: `observer` may be null.
[[nodiscard]] RuntimeSpec runtime_of(const RuntimeSpec& runtime, const Spec& spec,
                                     const ObserverSpec* observer);

// `spec` with its kernels as they run under the observer: it may be null.
[[nodiscard]] Spec observed(Spec spec, const ObserverSpec* observer);

// Host time of the set-up, on a core at the profile's reference clock.
[[nodiscard]] sim::Duration setup_of(const RuntimeSpec& runtime, const Spec& spec);

// The rule of process::RefillSpec for a process.
[[nodiscard]] bool refill_prolongs_turn(const RefillSpec& rule, const Spec& spec);

}  // namespace jostle::process
