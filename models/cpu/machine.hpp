// The state of a Cpu as plain data: threads, cores, clusters. Cpu changes it; placement, balance and the
// cache debt read it.
#pragma once

#include <algorithm>
#include <coroutine>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "models/cpu/cache_debt.hpp"
#include "models/cpu/container.hpp"
#include "models/cpu/cpu_set.hpp"
#include "models/cpu/interrupts.hpp"
#include "models/cpu/realtime.hpp"
#include "models/cpu/run_queue.hpp"
#include "models/cpu/spec.hpp"
#include "models/cpu/thread.hpp"
#include "models/cpu/utilisation.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"
#include "sim/wait.hpp"

namespace jostle::cpu {

struct Core;

// The present request of a thread.
enum class Request : std::uint8_t {
  none,   // between two requests: it keeps its core
  work,   // until `remaining` is done
  poll,   // until the flag is set and then `poll` of work is done
  sleep,  // until woken
};

struct Thread : Entity, sim::Waitable {
  Thread(Cpu& owner, const ThreadSpec& spec)
      : Waitable("cpu for " + spec.name), cpu(&owner), title(spec.name), listener(spec.listener) {}
  [[nodiscard]] std::string held_by() const override;
  void wake_up();
  // The thread enters a state, or its rate changes, or a request starts: notifies the listener.
  void notify(State entered, double new_rate, sim::Time at);
  // The limit that held the thread back no longer does.
  void release(sim::Time now);
  // True if the request ends by itself.
  [[nodiscard]] bool ends() const {
    return request == Request::work || (request == Request::poll && gives_up);
  }
  // True if a limit beside the policy may end its running time.
  [[nodiscard]] bool limited() const { return priority > 0 || container != nullptr; }

  Cpu* cpu;
  std::string title;
  ThreadListener listener;
  bool watched = true;  // its listener is notified of every change at the instant it happens
  CpuSet allowed;
  double working_set_bytes = 0;
  std::optional<CacheLoss> own_loss = {};  // follows ThreadSpec::return_loss
  bool streams = false;
  double cached_bytes = 0;
  int start_on = -1;
  int priority = 0;                // SCHED_FIFO priority; 0: the run queue's policy
  Container* container = nullptr;  // null: none
  std::int64_t own_weight = nice_0_weight;
  sim::Time held_since = sim::Time::never();  // start of a hold by a limit; never: none
  bool placed = false;                        // has had a core
  int core = 0;                               // where it runs, waits or last ran
  std::uint32_t index = 0;

  State state = State::sleeping;
  double rate = 0;
  sim::Time state_since;

  Request request = Request::none;
  sim::Duration remaining;  // rest of Request::work, or of a poll that gives up
  bool gives_up = false;    // the poll ends when that is done
  sim::Duration done;
  sim::Duration poll;
  sim::Duration wake_latency;
  int waker = -1;  // the core it is woken from; -1: that of its timer, where it slept
  Flag* flag = nullptr;
  std::coroutine_handle<> waiter;
  sim::EventId wake_event;
  sim::Time finishes = sim::Time::never();  // when the request ends if nothing changes

  sim::Duration switch_left;   // rest of the direct cost of the switch to it
  sim::Duration refill_left;   // time at reduced speed that its cache debt still costs
  sim::Duration whole_refill;  // refill time after losing all of its cached state, on `refill_cluster`
  int refill_cluster = -1;
  sim::Duration core_busy_at_exit;  // busy time of its core when it left it
  sim::Duration streamed_at_exit;   // Cluster::streamed at that time
  sim::Time left_core;
  bool moved = false;      // it changed its core since it last ran: none of its state is cached there
  sim::Time moved_at{-1};  // last move by the load balance

  Decaying runnable;     // recent share of time in which it was runnable; its load is this times its weight
  Decaying utilisation;  // only with Machine::tracks_utilisation
  double estimate = 0;   // expected utilisation when it wakes (the kernel's util_est)
  double average_estimate = 0;  // moving average of its utilisations when it went to sleep
  ThreadStatistics statistics;
};

// Scheduling domains: the cores of a cluster (they share a last-level cache), and all online cores.
enum class DomainLevel : std::uint8_t { cluster = 0, board = 1 };

// The times at which a core balances one of its domains (struct sched_domain).
struct Balancing {
  sim::Time last;             // differs between cores from the start, so that they balance on different ticks
  std::int64_t interval = 0;  // ms; doubles while there is nothing to do or to move, up to twice its minimum
  int failed = 0;             // consecutive balances in which no thread was movable
};

struct Core {
  Core(Cpu& owner, const CostSpec& costs, const SchedulerSpec& scaled)
      : cpu(&owner),
        queue(scaled),
        cache_loss(costs.preempted, costs.preempted_least, costs.preempted_time_constant) {}
  void timer_due();
  void balance_due();
  void fair_server_due();
  void speed_due();

  Cpu* cpu;
  RunQueue queue;
  RealTimeQueue realtime;
  Interrupts interrupts;
  CacheLoss cache_loss;
  int index = 0;
  int cluster = 0;
  bool online = false;
  bool slow = false;       // has the slow one of its two speeds
  double pace = 1;         // speed over its mean speed
  double rate = 1;         // progress per unit time, 1 = reference
  double capacity = 1024;  // known to the kernel: its cluster's, at every clock
  double speed = 1024;     // growth of a running thread's utilisation: capacity at the present clock
  bool balanced = false;   // online, and not isolated: part of the scheduling domains
  Thread* running = nullptr;
  Thread* last = nullptr;    // the previous running thread; null after idling
  sim::Time accrued;         // the running thread is accounted for up to here
  Decaying load;             // load of its threads, sleeping ones included
  double estimate = 0;       // sum of the estimates of its runnable threads
  double most_estimate = 0;  // highest `estimate` since take_estimate()
  CoreStatistics statistics;

  sim::EventId timer;
  sim::Time timer_at = sim::Time::never();
  sim::Time tick_due = sim::Time::never();   // a tick that ends the slice
  sim::Time limit_due = sim::Time::never();  // a tick at which its quota or runtime may be used up
  sim::Time yield_due = sim::Time::never();  // the running thread's sched_yield that lets another run
  sim::Time idle_since;
  sim::Duration average_idle;  // typical idle time: decides if pulling work is worth it
  sim::Duration waking;        // rest of the exit latency of a deep idle state
  bool overloaded = false;     // has a waiting thread
  sim::EventId balance_event;
  sim::Time balance_at = sim::Time::never();
  sim::Time busy_since = sim::Time::never();  // never: it is idle
  std::array<Balancing, 2> balancing{};       // indexed by DomainLevel
  sim::TrackId track = sim::TrackId::none;

  [[nodiscard]] Balancing& balancing_at(DomainLevel level) {
    return balancing[static_cast<std::size_t>(level)];
  }
  // Number of runnable threads; those held back by a limit do not count.
  [[nodiscard]] int runnable() const {
    return queue.size() + (realtime.held() ? 0 : static_cast<int>(realtime.members.size()));
  }
  [[nodiscard]] bool idle() const { return runnable() == 0; }
};

struct Cluster {
  int first_core = 0;
  int cores = 0;
  int balanced = 0;  // online and not isolated
  double clock_hz = 0;
  // Threads that have a core and stream through the shared cache (ThreadSpec::streams), and the time with
  // any.
  int streaming = 0;
  sim::Time streaming_since;
  sim::Duration streamed;   // up to the last change of `streaming`
  double cached_bytes = 0;  // for its shared cache, of the threads that have a core
  [[nodiscard]] sim::Duration streamed_by(sim::Time now) const {
    return streaming > 0 ? streamed + (now - streaming_since) : streamed;
  }
  // A thread takes (+1) or leaves (-1) a core.
  void count(const Thread& thread, double cache_bytes, int change, sim::Time now) {
    cached_bytes += change * (thread.streams ? cache_bytes : std::min(thread.cached_bytes, cache_bytes));
    if (!thread.streams) return;
    streamed = streamed_by(now);
    streaming_since = now;
    streaming += change;
  }
};

// All cores tick together (skew_tick is off by default), at a phase unrelated to what they run.
struct Ticks {
  sim::Duration period;
  sim::Time first;
  // The first tick that is not before `from`.
  [[nodiscard]] sim::Time next(sim::Time from) const {
    return from <= first ? first : first + (from - first + period - sim::Duration{1}) / period * period;
  }
  [[nodiscard]] sim::Duration since(sim::Time now) const {
    return now < first ? now - sim::Time::zero() : (now - first) % period;
  }
};

struct Machine {
  Spec spec;
  Ticks ticks;
  std::vector<Core> cores;  // by number, offline ones too; all exist before any reference to one is taken
  std::vector<Cluster> clusters;
  std::deque<Thread> threads;  // a deque: addresses are stable
  std::deque<Container> containers;
  CpuSet online;
  CpuSet balanced;      // online and not isolated
  CpuSet ever_allowed;  // every core that some thread may use
  int online_count = 0;
  int runnable = 0;  // threads, running ones included
  double fastest_clock_hz = 0;
  bool asymmetric = false;          // cores of different capacity are online
  bool tracks_utilisation = false;  // for placement on an asymmetric machine, and schedutil
  bool containers_compete = false;  // some thread is outside the container, or in another one
  bool has_realtime = false;
  bool has_fair_server = false;  // the kernel has one, and there are real-time threads

  [[nodiscard]] Core& core(int index) { return cores[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const Core& core(int index) const { return cores[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const Cluster& cluster_of(const Core& c) const {
    return clusters[static_cast<std::size_t>(c.cluster)];
  }
  [[nodiscard]] Cluster& cluster_of(const Core& c) { return clusters[static_cast<std::size_t>(c.cluster)]; }
  [[nodiscard]] const ClusterSpec& spec_of(const Core& c) const {
    return spec.clusters[static_cast<std::size_t>(c.cluster)];
  }
  [[nodiscard]] Thread& thread(ThreadId id) { return threads[id.index]; }
  [[nodiscard]] const Thread& thread(ThreadId id) const { return threads[id.index]; }
  [[nodiscard]] std::span<const Core> cores_of(const Cluster& c) const {
    return std::span(cores).subspan(static_cast<std::size_t>(c.first_core),
                                    static_cast<std::size_t>(c.cores));
  }
  // Gives the core the rate and the speed that follow from its clock and its pace.
  void update_rate(Core& core) const;
  [[nodiscard]] const KernelVersion& kernel() const { return spec.scheduler.rules(); }
};

// The load (PELT) that balance and wake-ups see. A thread's load: its weight times the share of time it is
// runnable.
[[nodiscard]] double load_of(const Thread& thread, sim::Time now);
// A core's load: the loads of its runnable threads and, if the kernel counts them, of the sleeping threads
// that last ran there.
[[nodiscard]] double load_of(const Machine& machine, const Core& core, sim::Time now);

// Events that change those loads. Each is called before the queue of the core changes.
void load_changes(Core& core, sim::Time now);  // threads are held back or released, and stay on the core
void load_reweighs(Core& core, const Thread& thread, std::int64_t weight, sim::Time now);  // from now on
void load_wakes(Core& core, Thread& thread, sim::Time now);
void load_sleeps(Core& core, Thread& thread, sim::Time now);
void load_is_new(Core& core, Thread& thread, sim::Time now);
void load_moves(Core& from, Core& to, const Thread& thread, sim::Time now);

// Cache debts (cache_debt.cpp). A thread takes a core again: charges it for those that ran there since it
// left.
void charge_return(const Machine& machine, Core& core, Thread& thread, sim::Time now);
// A thread moves to another core: charges it the migration, whose debt it does not pay again on its return.
void charge_migration(const Machine& machine, Thread& thread, const Core& to, sim::Time now);

}  // namespace jostle::cpu
