// A container: threads that share a weight (shares) and a quota of processor time, like a task group of the
// kernel.
//
// The weight is flat: instead of a run queue per container and core, each runnable thread of a container has
// the weight that the kernel's hierarchy gives it (task_h_load): shares x own weight / weight of the
// container's runnable threads. The container's weight on a core is then shares x load there / load
// everywhere (calc_group_shares), and a machine without containers is unaffected. If all threads of the
// machine are in one container, its shares have nothing to compete with and the threads keep their own
// weights.
//
// The quota follows cfs_bandwidth (kernel/sched/fair.c, 5.4 and later: slices do not expire). A pool is
// replenished every period, and cores take slices out of it. A core whose slice is used up while the pool is
// empty parks the container's threads until the pool has time again. A core notices an overrun only at its
// ticks, and its next slices pay for it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/cpu/thread.hpp"
#include "sim/engine.hpp"
#include "sim/time.hpp"

namespace jostle::cpu {

struct Core;
struct Machine;

inline constexpr sim::Duration quota_period = sim::Duration{100'000'000'000};  // Docker's default for --cpus
inline constexpr sim::Duration quota_slice = sim::Duration{5'000'000'000};     // sched_cfs_bandwidth_slice_us
// The time that a core keeps of its slice when the container's last thread there falls asleep, and the delay
// before the returned rest is distributed to throttled cores (min_cfs_rq_runtime,
// cfs_bandwidth_slack_period).
inline constexpr sim::Duration kept_slice = sim::Duration{1'000'000'000};
inline constexpr sim::Duration slack_delay = sim::Duration{5'000'000'000};

struct Container {
  Container(Cpu& owner, const ContainerSpec& given, const Machine& machine);

  struct OnCore {
    sim::Duration left;  // rest of its slice; negative: it ran for longer
    int queued = 0;      // threads in the core's run queue
    bool throttled = false;
    std::vector<Thread*> parked;  // runnable, but held back
  };

  Cpu* cpu;
  ContainerSpec spec;
  std::optional<sim::Duration> quota;  // per period; none: unlimited
  sim::Duration pool;                  // rest of the quota in this period
  bool drawn = false;                  // a core has taken from the pool since it was last replenished
  sim::EventId period, slack;
  std::int64_t load = 0;  // sum of the own weights of the runnable threads
  std::vector<Thread*> threads;
  std::vector<OnCore> cores;
  std::vector<int> throttled;  // cores, in the order in which they were throttled

  [[nodiscard]] OnCore& on(int core) { return cores[static_cast<std::size_t>(core)]; }
  [[nodiscard]] const OnCore& on(int core) const { return cores[static_cast<std::size_t>(core)]; }
  // Moves time from the pool to a core that has used up its slice; false: the pool is empty.
  bool assign(OnCore& core);

  // A thread became runnable (+1) or fell asleep (-1): the other threads weigh less or more from now on.
  void count(const Thread& thread, int change);
  // Gives the threads the weights that follow from its shares.
  void reweigh();
  // True if the thread may enter the run queue of the core; else it is parked there.
  bool admit(Core& core, Thread& thread);
  // The thread leaves the run queue of the core, or its parked threads. True: it was parked.
  bool depart(Core& core, Thread& thread);
  // A thread executed for `elapsed` on this core.
  void charge(int core, sim::Duration elapsed);
  // The core has used up its slice, and the pool is empty.
  void throttle(Core& core);

  // Events.
  void period_over();
  // Pays the debts of throttled cores, in the order in which they were throttled.
  void distribute();

 private:
  void set_throttled(int core);
  void unthrottle(Core& core);
  void start_period();
};

// Puts a new thread into its container, if it has one. Shares matter once some thread is outside a container,
// or in another one.
void join_container(Cpu& cpu, Machine& machine, Thread& thread, const std::optional<ContainerSpec>& spec);

}  // namespace jostle::cpu
