// Real-time threads (SCHED_FIFO) of a core: they run before all others, by priority, without time slices.
//
// After kernel/sched/rt.c: a woken thread stays on its core unless that runs a real-time thread of at least
// its priority; waiting ones are pushed to, and pulled by, cores that run less important threads. Together
// they get `realtime_runtime` of every `realtime_period` on a core and no more, whether or not others want
// the rest. The runtime of one core is not lent to another (RT_RUNTIME_SHARE is off since 5.10; before, a
// single core could borrow up to the whole period).
#pragma once

#include <vector>

#include "sim/time.hpp"

namespace jostle::cpu {

struct Machine;
struct Thread;

inline constexpr sim::Duration realtime_period = sim::Duration{1'000'000'000'000};  // sched_rt_period_us
inline constexpr sim::Duration realtime_runtime = sim::Duration{950'000'000'000};   // sched_rt_runtime_us

struct RealTimeQueue {
  std::vector<Thread*> members;  // runnable, the running one too: by priority, then in order of arrival
  sim::Duration ran;             // of this period's runtime
  bool throttled = false;

  [[nodiscard]] Thread* first() const { return members.empty() || throttled ? nullptr : members.front(); }
  // Behind those of its priority.
  void insert(Thread& thread);
  void remove(Thread& thread);
  // A waiting member of the running one's priority that does not only poll: whom sched_yield lets run.
  [[nodiscard]] bool useful_waiter() const;
};

// The core that a real-time thread which wakes, or is new, goes to.
[[nodiscard]] int place_realtime(const Machine& machine, const Thread& thread);
// Of the cores it may use, one that runs the least important thread; its own, then its cluster's, are
// preferred. -1: all run threads of at least its priority.
[[nodiscard]] int least_important_core(const Machine& machine, const Thread& thread);

}  // namespace jostle::cpu
