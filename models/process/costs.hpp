// The costs that a runtime causes to a process: the runtime's own costs, less the savings of a static graph,
// plus the overhead of an observer; and the costs of the set-up, before the first batch.
#pragma once

#include <vector>

#include "models/process/spec.hpp"

namespace jostle::process {

// Costs of a process that follow from its runtime, its way of waiting and the device.
struct Costs {
  RuntimeSpec runtime;
  SyncSpec sync;
  LockSpec locks;
  bool follow_up_prolongs_turn = true;
  std::vector<Costs> instances = {};  // one for each of Spec::instances
};

// The costs of `runtime` to one process. `observer` may be null.
[[nodiscard]] RuntimeSpec runtime_of(const RuntimeSpec& runtime, const Spec& spec,
                                     const ObserverSpec* observer);

// Host time of the operators of one batch beside their launches: those that launch, and those that do not.
[[nodiscard]] sim::Duration operators_time(const RuntimeSpec& runtime, const gpu::KernelSequence& kernels);

// `spec` with kernel times as under the observer; unchanged if `observer` is null.
[[nodiscard]] Spec observed(Spec spec, const ObserverSpec* observer);

// How long threads that compute on the cores spin at their barriers before they sleep. Where none of them
// lacks a core for long it makes no difference, and is for ever.
[[nodiscard]] sim::Duration most_spun(const Spec& spec);

// Host time of the set-up, on a core at the profile's reference clock.
[[nodiscard]] sim::Duration setup_of(const RuntimeSpec& runtime, const Spec& spec);

// Applies the rule of process::FollowUpSpec to a process: true if work that it enqueues in answer to a
// completion prolongs its turn.
[[nodiscard]] bool follow_up_prolongs_turn(const FollowUpSpec& rule, const Spec& spec);

}  // namespace jostle::process
