// The scheduling policies, and the parts of one.
//
// To add a policy, write models/cpu/<name>.cpp, which defines a SchedulerPolicy, and add it here: its
// declaration and its row of `policies`. Its own parameters and state go into SchedulerSpec and Entity.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "models/cpu/kernel_version.hpp"
#include "models/cpu/nice.hpp"
#include "sim/time.hpp"

namespace jostle::cpu {

struct SchedulerPolicy;

extern const SchedulerPolicy cfs;    // the completely fair scheduler, Linux before 6.6
extern const SchedulerPolicy eevdf;  // earliest eligible virtual deadline first, Linux 6.6 and later

struct NamedPolicy {
  const char* name;  // the name in a profile
  const SchedulerPolicy* policy;
};
inline constexpr std::array policies{
    NamedPolicy{"cfs", &cfs},
    NamedPolicy{"eevdf", &eevdf},
};

// The scheduler parameters of a profile: the kernel's defaults, unscaled.
struct SchedulerSpec {
  const SchedulerPolicy* policy = &cfs;
  const KernelVersion* kernel = nullptr;  // null: the newest kernel that has the policy
  sim::Duration tick = {};     // 1 / CONFIG_HZ; preemption of a running thread happens on ticks and wake-ups
  sim::Duration latency = {};  // cfs: sched_latency
  sim::Duration min_granularity = {};     // cfs: sched_min_granularity
  sim::Duration wakeup_granularity = {};  // cfs: sched_wakeup_granularity
  sim::Duration base_slice = {};          // eevdf: sched_base_slice
  bool knows_capacities = true;  // knows the clusters' capacities (capacity-dmips-mhz in the device tree);
                                 // else all are equal to it
  bool groups_realtime = false;  // CONFIG_RT_GROUP_SCHED
  int interrupt_core = -1;  // handles the interrupts of devices, so the threads they wake may go near it; -1:
                            // the core that the thread slept on
  // The kernel's sched_migration_cost: a thread that ran within this time is cache-hot, so the balance leaves
  // it alone. It is a threshold, not a cost: a thread that moves pays its cache debt (CostSpec,
  // cache_debt.hpp).
  sim::Duration cache_hot_for = {};

  // A copy with the policy's parameters multiplied by 1 + ilog2(min(online cores, 8)), as the kernel
  // multiplies them (sched_tunable_scaling = 1).
  [[nodiscard]] SchedulerSpec scaled(int online_cores) const;
  [[nodiscard]] const KernelVersion& rules() const;
  // True if the real-time threads of a core may run only for `realtime_runtime` of each period.
  [[nodiscard]] bool limits_realtime() const { return !rules().fair_server || groups_realtime; }
};

// The scheduler's state of a thread. Virtual times are picoseconds of execution at nice 0.
struct Entity {
  std::int64_t weight = nice_0_weight;
  std::int64_t vruntime = 0;
  std::int64_t executed = 0;          // total execution time (ps)
  std::int64_t executed_at_pick = 0;  // `executed` when the entity last got the core
  bool polite = false;                // polls a flag that is not set, and calls sched_yield after every poll
  // eevdf
  std::int64_t deadline = 0;
  std::int64_t protected_until = 0;  // run to parity: no wake-up preempts it before this vruntime
  std::int64_t lag = 0;              // average vruntime minus its own when it left its queue
  bool dequeue_delayed = false;      // fell asleep with negative lag, which fades while others run
};

// The state of a run queue that its policy works on.
struct QueueState {
  SchedulerSpec scheduler;       // scaled
  std::vector<Entity*> members;  // the running one too; in order of arrival or of being put back
  Entity* current = nullptr;     // the running one
  std::int64_t weight = 0;       // sum over all members
  // cfs: the entity woken to preempt, and the one it preempted while many were runnable. The next picks
  // prefer them.
  Entity* next_buddy = nullptr;
  Entity* last_buddy = nullptr;
  std::int64_t min_vruntime = 0;  // cfs: never falls; eevdf: the average when the queue was last not empty

  void insert(Entity& entity);
  void remove(Entity& entity);
  void forget_buddy(const Entity& entity) {
    if (next_buddy == &entity) next_buddy = nullptr;
    if (last_buddy == &entity) last_buddy = nullptr;
  }
  // Sum over the members of weight x (vruntime - origin).
  [[nodiscard]] std::int64_t weighted_offset(std::int64_t origin) const {
    std::int64_t sum = 0;
    for (const Entity* member : members) sum += member->weight * (member->vruntime - origin);
    return sum;
  }
  // Average vruntime of the members by weight, rounded down as the kernel does; min_vruntime if empty.
  [[nodiscard]] std::int64_t average_vruntime() const;
};

// The execution time (ps) until an event that never happens.
inline constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

// Virtual time of `ps` of execution at `weight`, and its inverse rounded up.
[[nodiscard]] constexpr std::int64_t virtual_time(std::int64_t ps, std::int64_t weight) {
  return weight == nice_0_weight ? ps : ps * nice_0_weight / weight;
}
[[nodiscard]] constexpr std::int64_t execution_for(std::int64_t virtual_ps, std::int64_t weight) {
  if (virtual_ps <= 0) return 0;
  return weight == nice_0_weight ? virtual_ps : (virtual_ps * weight + nice_0_weight - 1) / nice_0_weight;
}

// A duration that a policy requires of the profile: the profile's key, and the field for its value.
struct SchedulerParameter {
  const char* key;
  sim::Duration SchedulerSpec::*value;
};

// A policy: its parameters and its hooks. RunQueue calls each hook from its function of that name; RunQueue
// itself keeps the members, the current entity and the execution times. A hook with a default may be left
// out. The hooks run at every event: they must not allocate.
struct SchedulerPolicy {
  std::span<const SchedulerParameter> parameters;
  const KernelVersion* newest_kernel = nullptr;  // newest row of kernel_versions that has the policy

  // The entity arrives: set its virtual times. It is not a member yet.
  void (*enqueue_new)(QueueState&, Entity&) = [](QueueState&, Entity&) {};
  void (*enqueue_woken)(QueueState&, Entity&) = [](QueueState&, Entity&) {};
  void (*enqueue_migrated)(QueueState&, Entity&) = [](QueueState&, Entity&) {};
  // The entity leaves: save what it takes along. It is still a member.
  void (*dequeue_sleeping)(QueueState&, Entity&) = [](QueueState&, Entity&) {};
  void (*dequeue_migrating)(QueueState&, Entity&) = [](QueueState&, Entity&) {};
  // A sleeping entity leaves this queue for another, and arrives there, before enqueue_woken.
  void (*release_sleeper)(QueueState&, Entity&) = [](QueueState&, Entity&) {};
  void (*adopt_sleeper)(QueueState&, Entity&) = [](QueueState&, Entity&) {};

  // The entity's weight is about to change: keep its lag in execution time.
  struct Reweighed {
    std::int64_t weight = 0;
    bool member = false;
  };
  void (*reweigh)(QueueState&, Entity&, const Reweighed&) = [](QueueState&, Entity&, const Reweighed&) {};

  // The members have changed: a vruntime has grown, or a member has left.
  void (*update)(QueueState&) = [](QueueState&) {};

  // The member that runs next; the queue is not empty. `set_next` follows if it is not the current one.
  Entity* (*pick)(QueueState&);
  void (*set_next)(QueueState&, Entity& next) = [](QueueState&, Entity&) {};
  // Execution time after which a tick preempts the current entity, with at least one other member.
  std::int64_t (*until_preempted)(const QueueState&);
  // A tick has preempted the current entity; pick() follows.
  void (*slice_over)(QueueState&) = [](QueueState&) {};
  // True if the arrival of `woken`, now a member, preempts the current entity, which has executed
  // `since_tick` since the last tick.
  bool (*preempts)(QueueState&, Entity& woken, std::int64_t since_tick);
  // Execution time after which sched_yield by the current entity lets another one run.
  std::int64_t (*until_yield_succeeds)(const QueueState&) = [](const QueueState&) { return std::int64_t{0}; };
  // The current entity calls sched_yield. Returns the member that runs next, perhaps the same.
  Entity* (*yield)(QueueState&);
};

}  // namespace jostle::cpu
