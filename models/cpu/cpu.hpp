// The host CPU: threads compete for cores under the kernel's scheduling policy, and coroutines await the
// requests that they made to their thread.
//
//   Cpu cpu(engine, spec, {}, seed);
//   const ThreadId thread = cpu.create_thread({.name = "camera 0"});
//   co_await cpu.run(thread, microseconds(20));    // executed, across preemptions, migrations and debts
//   co_await cpu.spin(thread, done, poll);         // burns its core until the flag is seen
//   co_await cpu.block(thread, done, latency);     // sleeps until the flag wakes it and it has a core again
//
// A thread is one sequential actor: one request at a time. Between two requests it keeps its core, so a
// coroutine that waits for something else first puts its thread to sleep or retires it.
//
// A core with one thread has no event except the end of the thread's request. Time, work and debts are
// integer picoseconds; the work that a thread accrues is exactly the work that it was requested to do.
#pragma once

#include <coroutine>
#include <optional>
#include <string>
#include <vector>

#include "models/cpu/balance.hpp"
#include "models/cpu/machine.hpp"
#include "models/cpu/realtime.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"

namespace jostle::cpu {

// The cores that take part.
struct Confinement {
  std::vector<int> online = {};   // empty: all of the spec
  std::vector<int> allowed = {};  // for threads that name no cores of their own; empty: all online
};

// The driver of the cores' events. Construction, clocks and queries are in cpu.cpp; the private parts name
// their files.
class Cpu {
 public:
  // `random` draws the phases of the tick and of the load balance. The engine must outlive the Cpu and must
  // not run after the Cpu is destroyed. Throws std::invalid_argument for an impossible spec, or cores that do
  // not exist.
  Cpu(sim::Engine& engine, const Spec& spec, const Confinement& confinement, sim::RandomStream random);
  Cpu(const Cpu&) = delete;
  Cpu& operator=(const Cpu&) = delete;

  // Creates a sleeping thread; it takes a core with its first request. Throws std::invalid_argument for a
  // core that does not exist or is offline.
  ThreadId create_thread(const ThreadSpec& spec);

  // From now on interrupts take the share `load` (0 ... 0.95) of the core's time, in `rate` bursts per
  // second.
  void set_interrupts(int core, double load, double rate);

  // From now on the Cpu tracks the utilisation of threads. Otherwise it does so only with cores of unequal
  // capacity.
  void track_utilisation() { machine_.tracks_utilisation = true; }
  // From now on each core changes between its two speeds, if it has them; otherwise it keeps the mean of
  // them.
  void vary_speeds(const sim::RandomStream& random);
  // The highest estimated demand of the core's runnable threads since the last call, as a share of the core's
  // capacity at the highest clock (util_est of its run queue).
  [[nodiscard]] double take_estimate(int core);

  // Completes when `work`, in time on a core of capacity 1024 at the reference clock, has been executed.
  [[nodiscard]] auto run(ThreadId thread, sim::Duration work);
  // Stays runnable until the flag is set and, on a core, `poll` (reference time) more has passed. `polite`:
  // calls sched_yield after each `poll`. That lets another thread of the core run, unless all of them only
  // poll in this way too.
  // `most`: gives up, with the flag not set, when it has executed for so long.
  [[nodiscard]] auto spin(ThreadId thread, Flag& flag, sim::Duration poll, bool polite = false,
                          sim::Duration most = sim::Duration::max());
  [[nodiscard]] auto yield_spin(ThreadId thread, Flag& flag, sim::Duration poll);  // politely
  // Sleeps until the flag is set; `wake_latency` later it is runnable. Does not sleep if the flag is set.
  [[nodiscard]] auto block(ThreadId thread, Flag& flag, sim::Duration wake_latency);
  // Sleeps until wake().
  [[nodiscard]] auto sleep(ThreadId thread);
  // Sleeps until `time`, or wake().
  [[nodiscard]] auto sleep_until(ThreadId thread, sim::Time time);

  // Sets whether the listener must be notified at once of each change of the thread. If not watched, the
  // phases on a core (switching, refilling) take no events: the listener is notified of them with the times
  // at which they began, once they have passed and something else happens on the core. state(), progress()
  // and the times of statistics() are then those last reported.
  void watch(ThreadId thread, bool watched);
  // Notifies the listener of the phases that have passed by now.
  void notify_phases(ThreadId thread);
  // Makes a sleeping thread runnable; false, without effect, if it does not sleep. `waker`: the core that the
  // wake-up comes from, -1 if none.
  bool wake(ThreadId thread, int waker = -1);
  // Takes the thread off its core for good (or until its next request). It must not be in a request.
  void retire(ThreadId thread);

  // Sets the clock of a cluster (hz > 0); running work is re-timed.
  void set_cluster_clock(int cluster, double hz);

  // The share of its data that a thread finds in the cache that the cores of its cluster share. The data of
  // each thread on them gets a part of the cache in proportion to its size.
  [[nodiscard]] double cache_share(ThreadId thread) const;
  [[nodiscard]] Progress progress(ThreadId thread) const;
  [[nodiscard]] State state(ThreadId thread) const { return machine_.thread(thread).state; }
  // The core that it is on, waits for or was last on.
  [[nodiscard]] int core_of(ThreadId thread) const { return machine_.thread(thread).core; }
  // One line for people: its activity and what it waits for.
  [[nodiscard]] std::string describe(ThreadId thread) const;
  [[nodiscard]] ThreadStatistics statistics(ThreadId thread) const;
  [[nodiscard]] CoreStatistics core_statistics(int core) const;
  // Lag behind (+) its fair share among the threads of its core.
  [[nodiscard]] sim::Duration lag(ThreadId thread) const;

  [[nodiscard]] int cores() const { return static_cast<int>(machine_.cores.size()); }
  [[nodiscard]] int online_cores() const { return machine_.online_count; }
  [[nodiscard]] const CpuSet& allowed() const { return allowed_; }
  // Progress per unit time on a core, at its present clock.
  [[nodiscard]] double rate_of(int core) const { return machine_.core(core).rate; }
  [[nodiscard]] const Machine& machine() const { return machine_; }

 private:
  friend struct Thread;
  friend struct Core;
  friend struct Container;
  friend class Flag;
  friend class LoadBalance;
  friend class RealTimeClass;
  template <class Begin>
  class Wait;

  // Requests (requests.cpp). Each returns true if the coroutine has to wait.
  bool begin_work(Thread& thread, sim::Duration work);
  bool begin_poll(Thread& thread, Flag& flag, sim::Duration poll, bool polite, sim::Duration most);
  bool begin_block(Thread& thread, Flag& flag, sim::Duration wake_latency);
  bool begin_sleep(Thread& thread, sim::Time until);
  void start_request(Thread& thread, Request request);
  void finish_request(Thread& thread);
  void flag_set(Thread& thread);

  // The timeline of a core (timeline.cpp).
  void accrue(Core& core, sim::Time until);
  void accrue(Core& core) { accrue(core, engine_.now()); }
  void arm(Core& core);
  void arm_phase(Core& core);

  // The thread that runs on a core (dispatch.cpp).
  void timer_due(Core& core);
  void take_off(Core& core);
  void preempt(Core& core);
  void hand_over(Core& core, Thread* next);
  void dispatch(Core& core);
  [[nodiscard]] Thread* next_thread(Core& core);
  void settle(Core& core);
  void check_preemption(Core& core, Thread& arrived);

  // Threads that come to the queues of a core, and leave them (queueing.cpp).
  void note_load(Core& core);
  void count_runnable(int change);
  void enqueue(Core& core, Thread& thread, bool is_new);
  void dequeue_sleeping(Core& core, Thread& thread);
  void make_runnable(Thread& thread, int waker);
  void go_to_sleep(Thread& thread);
  void migrate(Thread& thread, Core& to);

  // Limits of running time (limits.cpp).
  void charge(Core& core, Thread& thread, sim::Duration elapsed);
  [[nodiscard]] sim::Time limit_due(const Core& core) const;
  [[nodiscard]] bool enforce_limit(Core& core);

  void take_speed(Core& core, bool slow);

  sim::Engine& engine_;
  Machine machine_;
  CpuSet allowed_;  // default mask, from the Confinement
  LoadBalance balance_{*this, engine_, machine_};
  RealTimeClass realtime_{*this, engine_, machine_};
  std::optional<sim::RandomStream> speeds_;  // draws the times at each of two speeds
  sim::TrackId run_queue_counter_ = sim::TrackId::none;
};

// Awaits one request of a thread. `begin` makes it, and returns true if the coroutine has to wait.
template <class Begin>
class Cpu::Wait {
 public:
  Wait(Thread& thread, Begin begin) : thread_(thread), begin_(begin) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <sim::ProcessPromise P>
  bool await_suspend(std::coroutine_handle<P> waiter) {
    thread_.waiter = waiter;
    const bool waits = begin_(thread_);
    if (waits) note_.begin(waiter, thread_);
    return waits;
  }
  void await_resume() const noexcept {}

 private:
  Thread& thread_;
  Begin begin_;
  sim::WaitNote note_;
};

inline auto Cpu::run(ThreadId thread, sim::Duration work) {
  return Wait(machine_.thread(thread), [this, work](Thread& t) { return begin_work(t, work); });
}
inline auto Cpu::spin(ThreadId thread, Flag& flag, sim::Duration poll, bool polite, sim::Duration most) {
  return Wait(machine_.thread(thread), [this, &flag, poll, polite, most](Thread& t) {
    return begin_poll(t, flag, poll, polite, most);
  });
}
inline auto Cpu::yield_spin(ThreadId thread, Flag& flag, sim::Duration poll) {
  return spin(thread, flag, poll, true);
}
inline auto Cpu::block(ThreadId thread, Flag& flag, sim::Duration wake_latency) {
  return Wait(machine_.thread(thread),
              [this, &flag, wake_latency](Thread& t) { return begin_block(t, flag, wake_latency); });
}
inline auto Cpu::sleep_until(ThreadId thread, sim::Time time) {
  return Wait(machine_.thread(thread), [this, time](Thread& t) { return begin_sleep(t, time); });
}
inline auto Cpu::sleep(ThreadId thread) {
  return sleep_until(thread, sim::Time::never());
}

}  // namespace jostle::cpu
