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
#include "sim/engine.hpp"
#include "sim/random.hpp"

namespace jostle::cpu {

// The cores that take part.
struct Confinement {
  std::vector<int> online = {};   // empty: all of the spec
  std::vector<int> allowed = {};  // for threads that name no cores of their own; empty: all online
};

// Construction, clocks and queries are in cpu.cpp; the private parts name their files.
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
  // Stays runnable until the flag is set and, on a core, `poll` (reference time) more has passed.
  [[nodiscard]] auto spin(ThreadId thread, Flag& flag, sim::Duration poll);
  // Like spin(), but the thread calls sched_yield after each `poll`. That lets another thread of the core
  // run, unless all of them only poll in this way too.
  [[nodiscard]] auto yield_spin(ThreadId thread, Flag& flag, sim::Duration poll);
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
  [[nodiscard]] double cluster_clock(int cluster) const {
    return machine_.clusters[static_cast<std::size_t>(cluster)].clock_hz;
  }

  [[nodiscard]] Progress progress(ThreadId thread) const;
  [[nodiscard]] State state(ThreadId thread) const { return get(thread).state; }
  // The core that it is on, waits for or was last on.
  [[nodiscard]] int core_of(ThreadId thread) const { return get(thread).core; }
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
  class Wait;

  [[nodiscard]] Thread& get(ThreadId id) { return machine_.threads[id.index]; }
  [[nodiscard]] const Thread& get(ThreadId id) const { return machine_.threads[id.index]; }

  // Requests (requests.cpp). Each returns true if the coroutine has to wait.
  bool begin_work(Thread& thread, sim::Duration work);
  bool begin_poll(Thread& thread, Flag& flag, sim::Duration poll, bool polite);
  bool begin_block(Thread& thread, Flag& flag, sim::Duration wake_latency);
  bool begin_sleep(Thread& thread, sim::Time until);
  void start_request(Thread& thread, Request request);
  void finish_request(Thread& thread);
  void flag_set(Thread& thread);

  // The timeline of a core (dispatch.cpp).
  void accrue(Core& core, sim::Time until);
  void accrue(Core& core) { accrue(core, engine_.now()); }
  void arm(Core& core);
  void arm_phase(Core& core);
  void dispatch(Core& core);
  void hand_over(Core& core, Thread* next);
  void take_off(Core& core);
  void charge_debt(Core& core, Thread& thread);
  [[nodiscard]] double lost_by(Core& core, const Thread& thread);
  void count_streaming(const Core& core, const Thread& thread, int change);
  void count_runnable(int change);
  void make_runnable(Thread& thread, int waker);
  void go_to_sleep(Thread& thread);
  void check_preemption(Core& core, Thread& arrived);
  void timer_due(Core& core);
  void notify(Thread& thread, State state, double rate, sim::Time at);
  void notify(Thread& thread, State state, double rate) { notify(thread, state, rate, engine_.now()); }
  struct Phase {
    State state;
    double rate;
    sim::Duration* left;  // rest of the phase; null: it does not end by itself
  };
  [[nodiscard]] Phase phase_of(const Core& core, Thread& thread) const;
  [[nodiscard]] bool phases_pass(const Core& core, const Thread& thread) const;
  [[nodiscard]] sim::Time end_of_work(const Core& core, const Thread& thread) const;
  [[nodiscard]] sim::Time next_tick(sim::Time from) const;
  [[nodiscard]] sim::Duration since_tick() const;

  [[nodiscard]] Thread* next_thread(Core& core);
  // Queues of a core, and limits of running time (limits.cpp).
  void enqueue(Core& core, Thread& thread, bool is_new);
  void dequeue_sleeping(Core& core, Thread& thread);
  void charge(Core& core, Thread& thread, sim::Duration elapsed);
  [[nodiscard]] sim::Duration limit_left(Core& core) const;
  [[nodiscard]] sim::Time limit_due(Core& core) const;
  [[nodiscard]] bool over_limit(Core& core);
  void enforce_limit(Core& core);
  void release(Thread& thread);

  // Containers (container.cpp).
  [[nodiscard]] Container* container_of(const ContainerSpec& spec);
  void note_container(Thread& thread);
  void count_in_container(Thread& thread, int change);
  void reweigh(Container& container);
  [[nodiscard]] bool admit(Core& core, Thread& thread);
  bool depart(Core& core, Thread& thread);
  void set_throttled(Container& container, int core);
  void throttle(Core& core, Container& container);
  void unthrottle(Core& core, Container& container);
  void start_period(Container& container);
  void quota_period_over(Container& container);
  void distribute(Container& container);

  // Real-time threads (realtime.cpp).
  void enqueue_realtime(Core& core, Thread& thread);
  void settle(Core& core);
  void push_realtime(Core& core);
  void pull_realtime(Core& core);
  void move_realtime(Thread& thread, Core& to);
  void hold_back_realtime(Core& core);
  void release_realtime(Core& core);
  void borrow_runtime(Core& core);
  void realtime_period_over();
  // The deadline server of threads that are not real-time (fair_server.cpp).
  void note_fair_threads(Core& core);
  void charge_fair_server(Core& core, sim::Duration elapsed);
  void plan_fair_server(Core& core);
  void fair_server_due(Core& core);

  // Load balance (rebalance.cpp).
  void pull_before_idling(Core& core);
  void balance_due(Core& core);
  bool balance(Core& core, DomainLevel level, Idleness idleness);
  void migrate(Thread& thread, Core& to);
  void charge_migration(Thread& thread, const Core& from, const Core& to);
  void note_load(Core& core);
  void plan_balances();
  void plan_balance(Core& core);
  // The levels at which cores balance, lowest first.
  [[nodiscard]] std::span<const DomainLevel> levels() const {
    static constexpr std::array both{DomainLevel::cluster, DomainLevel::board};
    return {both.data(), machine_.clusters.size() > 1 ? both.size() : 1};
  }
  [[nodiscard]] bool balance_useful() const {
    return overloaded_cores_ > 0 || (machine_.asymmetric && runnable_ > 0);
  }
  // Times of the balance (balance_times.cpp).
  void start_balancing(Core& core);
  void catch_up(Core& core, DomainLevel level);
  void finish_balance(Core& core, DomainLevel level, Outcome outcome);
  [[nodiscard]] sim::Duration lateness();
  [[nodiscard]] int domain_weight(const Core& core, DomainLevel level) const;
  [[nodiscard]] sim::Duration balance_interval(const Core& core, DomainLevel level) const;

  void update_rate(Core& core);
  void take_speed(Core& core, bool slow);
  [[nodiscard]] CpuSet usable(const CpuSet& allowed, std::optional<int> start_on) const;

  sim::Engine& engine_;
  Machine machine_;
  CpuSet allowed_;       // default mask, from the Confinement
  CpuSet ever_allowed_;  // every core that some thread may use
  double fastest_clock_hz_ = 0;
  sim::RandomStream random_;                 // draws the phases of the tick and of the balance
  std::optional<sim::RandomStream> speeds_;  // draws the times at each of two speeds
  sim::Duration tick_phase_;
  int overloaded_cores_ = 0;
  int planned_balances_ = 0;
  bool containers_compete_ = false;  // some thread is outside the container, or in another one
  bool has_realtime_ = false;
  bool has_fair_server_ = false;  // the kernel has one, and there are real-time threads
  sim::EventId realtime_event_;
  int runnable_ = 0;  // threads, running ones included
  sim::TrackId run_queue_counter_ = sim::TrackId::none;
};

// Awaits one request of a thread.
class Cpu::Wait {
 public:
  enum class Kind : std::uint8_t { work, spin, yield, block, sleep };
  struct Asked {
    Kind kind;
    sim::Duration amount = {};  // the work, a poll, or the wake-up latency
    Flag* flag = nullptr;
    sim::Time until = sim::Time::never();
  };
  Wait(Cpu& cpu, Thread& thread, const Asked& asked) : cpu_(cpu), thread_(thread), asked_(asked) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <sim::ProcessPromise P>
  bool await_suspend(std::coroutine_handle<P> waiter) {
    thread_.waiter = waiter;
    const bool waits = begin();
    if (waits) note_.begin(waiter, thread_);
    return waits;
  }
  void await_resume() const noexcept {}

 private:
  bool begin() {
    switch (asked_.kind) {
      case Kind::work:
        return cpu_.begin_work(thread_, asked_.amount);
      case Kind::spin:
        return cpu_.begin_poll(thread_, *asked_.flag, asked_.amount, false);
      case Kind::yield:
        return cpu_.begin_poll(thread_, *asked_.flag, asked_.amount, true);
      case Kind::block:
        return cpu_.begin_block(thread_, *asked_.flag, asked_.amount);
      case Kind::sleep:
        return cpu_.begin_sleep(thread_, asked_.until);
    }
    return false;
  }

  Cpu& cpu_;
  Thread& thread_;
  Asked asked_;
  sim::WaitNote note_;
};

inline auto Cpu::run(ThreadId thread, sim::Duration work) {
  return Wait{*this, get(thread), {.kind = Wait::Kind::work, .amount = work}};
}
inline auto Cpu::spin(ThreadId thread, Flag& flag, sim::Duration poll) {
  return Wait{*this, get(thread), {.kind = Wait::Kind::spin, .amount = poll, .flag = &flag}};
}
inline auto Cpu::yield_spin(ThreadId thread, Flag& flag, sim::Duration poll) {
  return Wait{*this, get(thread), {.kind = Wait::Kind::yield, .amount = poll, .flag = &flag}};
}
inline auto Cpu::block(ThreadId thread, Flag& flag, sim::Duration wake_latency) {
  return Wait{*this, get(thread), {.kind = Wait::Kind::block, .amount = wake_latency, .flag = &flag}};
}
inline auto Cpu::sleep(ThreadId thread) {
  return Wait{*this, get(thread), {.kind = Wait::Kind::sleep}};
}
inline auto Cpu::sleep_until(ThreadId thread, sim::Time time) {
  return Wait{*this, get(thread), {.kind = Wait::Kind::sleep, .until = time}};
}

}  // namespace jostle::cpu
