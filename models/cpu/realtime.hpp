// Real-time threads (SCHED_FIFO) of a core: they run before all others, by priority, without time slices.
//
// Follows kernel/sched/rt.c: a woken thread stays on its core unless that runs a real-time thread of at least
// its priority; waiting ones are pushed to, and pulled by, cores that run less important threads.
//
// If the kernel limits them (SchedulerSpec::limits_realtime), the real-time threads of a core get
// `realtime_runtime` of every `realtime_period` together and no more, even if no other thread wants the rest.
// If cores lend their runtime (KernelVersion::lends_runtime), they get up to the whole period. From 6.12 on
// the other threads of a core have a deadline server: kernel/sched/deadline.c, "dl_server && dl_defer". It
// gives them `fair_runtime` of every `realtime_period`, including the time that they get by themselves. It
// serves as late in the period as possible; once it had to serve, at the begin of each period.
#pragma once

#include <vector>

#include "sim/engine.hpp"
#include "sim/event_queue.hpp"
#include "sim/time.hpp"

namespace jostle::cpu {

class Cpu;
struct Core;
struct Machine;
struct Thread;

inline constexpr sim::Duration realtime_period = sim::Duration{1'000'000'000'000};  // sched_rt_period_us
inline constexpr sim::Duration realtime_runtime = sim::Duration{950'000'000'000};   // sched_rt_runtime_us
inline constexpr sim::Duration fair_runtime = sim::Duration{50'000'000'000};        // in fair_server_init()

// The deadline server of the threads that are not real-time.
struct FairServer {
  bool active = false;  // some of these threads are runnable
  sim::Time deadline;   // end of its period
  sim::Duration left;   // rest of its runtime in this period
  // It waits until the rest of its period is as short as the rest of its runtime. Once it had to serve, it no
  // longer waits, until the threads have had a whole runtime by themselves.
  bool deferred = true;
  sim::EventId event;  // when it begins to serve, if nothing changes
  sim::Time event_at = sim::Time::never();

  // The first of its threads became runnable.
  void start(sim::Time now);
  // One of its threads executed for `elapsed`, until `now`. `serving`: because of it.
  void charge(sim::Duration elapsed, sim::Time now, bool serving);
  // The time at which it begins to serve while real-time threads keep the core.
  [[nodiscard]] sim::Time next_service(sim::Time now) const;
  void serve();
};

struct RealTimeQueue {
  std::vector<Thread*> members;  // runnable, the running one too: by priority, then in order of arrival
  sim::Duration runtime = realtime_runtime;  // per period; lending between cores changes it
  sim::Duration ran;                         // used in this period
  bool throttled = false;                    // the runtime is used up
  bool outranked = false;                    // the fair server serves
  FairServer fair;

  [[nodiscard]] bool held() const { return throttled || outranked; }
  [[nodiscard]] Thread* first() const { return members.empty() || held() ? nullptr : members.front(); }
  // Inserts the thread behind those of its priority.
  void insert(Thread& thread);
  void remove(Thread& thread);
  // True if a member waits that has the running one's priority and does not only poll: sched_yield lets it
  // run.
  [[nodiscard]] bool useful_waiter() const;
};

// The core that a real-time thread goes to when it is new or wakes.
[[nodiscard]] int place_realtime(const Machine& machine, const Thread& thread);
// Among the cores that the thread may use, one that runs the least important thread; its own core, then its
// cluster's, are preferred. -1: all run threads of at least its priority.
[[nodiscard]] int least_important_core(const Machine& machine, const Thread& thread);

// Arrival, push and pull of real-time threads between cores, and the limits of their running time.
class RealTimeClass {
 public:
  // The arguments must outlive it.
  RealTimeClass(Cpu& cpu, sim::Engine& engine, Machine& machine)
      : cpu_(cpu), engine_(engine), machine_(machine) {}

  void enqueue(Core& core, Thread& thread);
  // push_rt_tasks: real-time threads that wait here go to cores that run less important threads.
  void push(Core& core);
  // pull_rt_task: takes the most important real-time thread that waits elsewhere, if it outranks the threads
  // here.
  void pull(Core& core);
  // Takes unused runtime from other cores, if the kernel lends it.
  void borrow_runtime(Core& core);
  // The runtime of the core's real-time threads, one of which runs, is used up.
  void throttle(Core& core);

  // The fair server: its threads came or went; its event; it has served.
  void note_fair_threads(Core& core);
  void plan_fair_server(Core& core);
  void fair_server_due(Core& core);
  void end_service(Core& core);

 private:
  void move(Thread& thread, Core& to);
  void hold_back(Core& core);
  void release(Core& core);
  void start_period();
  void period_over();

  Cpu& cpu_;
  sim::Engine& engine_;
  Machine& machine_;
  sim::EventId period_;
};

}  // namespace jostle::cpu
