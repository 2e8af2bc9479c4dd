// Real-time threads (SCHED_FIFO) of a core: they run before all others, by priority, without time slices.
//
// After kernel/sched/rt.c: a woken thread stays on its core unless that runs a real-time thread of at least
// its priority; waiting ones are pushed to, and pulled by, cores that run less important threads.
//
// Where the kernel limits them (SchedulerSpec::limits_realtime), they get `realtime_runtime` of every
// `realtime_period` on a core together and no more, whether or not others want the rest; where cores lend
// their runtime (KernelVersion::lends_runtime), up to the whole period. From 6.12 on the other threads of a
// core have a deadline server: kernel/sched/deadline.c, "dl_server && dl_defer". It gives them `fair_runtime`
// of every `realtime_period`, what they get by themselves included, as late in the period as possible; once
// it had to, at the begin of each period.
#pragma once

#include <vector>

#include "sim/time.hpp"

namespace jostle::cpu {

struct Machine;
struct Thread;

inline constexpr sim::Duration realtime_period = sim::Duration{1'000'000'000'000};  // sched_rt_period_us
inline constexpr sim::Duration realtime_runtime = sim::Duration{950'000'000'000};   // sched_rt_runtime_us
inline constexpr sim::Duration fair_runtime = sim::Duration{50'000'000'000};        // of fair_server_init()

// The deadline server of the threads that are not real-time ones.
struct FairServer {
  bool active = false;  // such threads are runnable
  sim::Time deadline;   // of its period
  sim::Duration left;   // of its runtime in this period
  // It waits until only what is left of its runtime is left of its period. Not so once it had to serve, until
  // the threads have had a whole runtime by themselves.
  bool deferred = true;
  sim::EventId event;  // when it begins to serve, if nothing changes
  sim::Time event_at = sim::Time::never();
};

struct RealTimeQueue {
  std::vector<Thread*> members;  // runnable, the running one too: by priority, then in order of arrival
  sim::Duration runtime = realtime_runtime;  // of each period; what cores lend each other changes it
  sim::Duration ran;                         // of this period's runtime
  bool throttled = false;                    // the runtime is used up
  bool outranked = false;                    // the fair server serves
  FairServer fair;

  [[nodiscard]] bool held() const { return throttled || outranked; }
  [[nodiscard]] Thread* first() const { return members.empty() || held() ? nullptr : members.front(); }
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
