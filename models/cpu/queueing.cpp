// Members of Cpu for threads that come to the queues of a core and leave them: wake-up, sleep, migration. The
// placement of new and woken threads follows kernel/sched/fair.c (select_task_rq_fair and its callees).
#include <algorithm>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {
namespace {

double relative_load(const Machine& machine, const Core& core, sim::Time now) {
  return load_of(machine, core, now) / core.capacity;
}

// The state of a cluster for a thread that may use only some of its cores.
struct ClusterView {
  int idle = 0;
  int usable = 0;
  double load = 0;

  [[nodiscard]] bool better_than(const ClusterView& other) const {
    if (idle != other.idle) return idle > other.idle;
    return load / usable < other.load / other.usable;
  }
};

ClusterView view(const Machine& machine, const Cluster& cluster, const Thread& thread, sim::Time now) {
  ClusterView seen;
  for (const Core& core : machine.cores_of(cluster)) {
    if (!thread.allowed.contains(core.index)) continue;
    ++seen.usable;
    seen.idle += core.idle() ? 1 : 0;
    seen.load += relative_load(machine, core, now);
  }
  return seen;
}

int idlest_in(const Machine& machine, const Cluster& cluster, const Thread& thread, sim::Time now) {
  int best = -1;
  double least = 0;
  for (const Core& core : machine.cores_of(cluster)) {
    if (!thread.allowed.contains(core.index)) continue;
    if (core.idle()) return core.index;
    const double load = relative_load(machine, core, now);
    if (best >= 0 && load >= least) continue;
    best = core.index;
    least = load;
  }
  return best;
}

// wake_affine: the core around which to search, the waker's or the previous one.
int affine_target(const Machine& machine, const Thread& thread, int waker, sim::Time now) {
  const int previous = thread.core;
  if (waker < 0 || waker == previous || !thread.allowed.contains(waker)) return previous;
  const Core& from = machine.core(waker);
  const Core& old = machine.core(previous);
  if (from.idle() && from.cluster == old.cluster) return old.idle() ? previous : waker;
  if (old.idle()) return previous;
  // wake_affine_weight compares the loads of both cores with the thread on the waker's core. The bias is half
  // of imbalance_pct.
  const double load = load_of(thread, now);
  const bool counted = machine.kernel().counts_blocked_load;  // the old core's load includes the thread's
  const double there = (load_of(machine, from, now) + load) / from.capacity;
  const double here = (load_of(machine, old, now) - (counted ? load : 0)) / old.capacity;
  return there < here * 1.08 ? waker : previous;
}

// select_idle_sibling for clusters whose cores are alike.
int idle_sibling(const Machine& machine, const Thread& thread, int target) {
  if (machine.core(target).idle()) return target;
  const Core& previous = machine.core(thread.core);
  const Core& centre = machine.core(target);
  if (previous.idle() && previous.cluster == centre.cluster) return thread.core;
  const Cluster& cluster = machine.cluster_of(centre);
  for (int step = 1; step < cluster.cores; ++step) {
    const int i = cluster.first_core + (target - cluster.first_core + step) % cluster.cores;
    if (thread.allowed.contains(i) && machine.core(i).idle()) return i;
  }
  return target;
}

// select_idle_capacity: from the target on, the first idle core that fits; else the largest idle core.
int idle_capacity(const Machine& machine, const Thread& thread, int target, double utilisation) {
  int best = -1;
  const auto count = static_cast<int>(machine.cores.size());
  for (int step = 0; step < count; ++step) {
    const int i = (target + step) % count;
    if (!thread.allowed.contains(i) || !machine.core(i).idle()) continue;
    const double capacity = machine.core(i).capacity;
    if (fits(utilisation, capacity)) return i;
    if (best < 0 || capacity > machine.core(best).capacity) best = i;
  }
  return best;
}

// Places a new thread (the slow path, find_idlest_cpu): the cluster with most idle allowed cores; in it the
// first idle core, else the least loaded. Ties: the lowest number.
int place_new(const Machine& machine, const Thread& thread, sim::Time now) {
  if (thread.start_on >= 0) return thread.start_on;
  const Cluster* best = nullptr;
  ClusterView best_view;
  for (const Cluster& cluster : machine.clusters) {
    const ClusterView seen = view(machine, cluster, thread, now);
    if (seen.usable == 0) continue;
    if (best == nullptr || seen.better_than(best_view)) {
      best = &cluster;
      best_view = seen;
    }
  }
  return idlest_in(machine, *best, thread, now);
}

// Places a woken thread: its previous core or the waker's, if idle; else an idle core that shares its cache
// with that core; else that core although it is busy. On unequal cores: an idle core whose capacity fits the
// thread. `waker`: the core that the wake-up comes from (an interrupt's core, for example), -1 if unknown.
// Brings the thread's utilisation up to `now`.
int place_woken(const Machine& machine, Thread& thread, int waker, sim::Time now) {
  const int target = affine_target(machine, thread, waker, now);
  if (machine.asymmetric) {
    thread.utilisation.advance(now, 0);
    const double utilisation = std::max(thread.utilisation.value(), thread.estimate);
    const int fitting = idle_capacity(machine, thread, target, utilisation);
    if (fitting >= 0) return fitting;
    // No core is idle: takes a busy core that is large enough.
    if (fits(utilisation, machine.core(target).capacity)) return target;
    int largest = target;
    for (const Core& core : machine.cores) {
      if (thread.allowed.contains(core.index) && core.capacity > machine.core(largest).capacity)
        largest = core.index;
    }
    return largest;
  }
  return idle_sibling(machine, thread, target);
}

}  // namespace

// The number of runnable threads of the core may have changed.
void Cpu::note_load(Core& core) {
  if (machine_.has_fair_server) realtime_.note_fair_threads(core);
  balance_.note_load(core);
}

void Cpu::count_runnable(int change) {
  machine_.runnable += change;
  if (sim::TraceSink* trace = engine_.trace())
    trace->count(run_queue_counter_, engine_.now(), machine_.runnable);
}

void Cpu::enqueue(Core& core, Thread& thread, bool is_new) {
  if (thread.priority > 0) return realtime_.enqueue(core, thread);
  is_new ? load_is_new(core, thread, engine_.now()) : load_wakes(core, thread, engine_.now());
  if (thread.container != nullptr && !thread.container->admit(core, thread)) return;
  is_new ? core.queue.enqueue_new(thread) : core.queue.enqueue_woken(thread);
}

void Cpu::dequeue_sleeping(Core& core, Thread& thread) {
  if (thread.priority > 0) {
    core.realtime.remove(thread);
    thread.release(engine_.now());
    return;
  }
  load_sleeps(core, thread, engine_.now());
  const bool parked = thread.container != nullptr && thread.container->depart(core, thread);
  if (!parked) core.queue.dequeue_sleeping(thread);
}

void Cpu::make_runnable(Thread& thread, int waker) {
  count_runnable(+1);
  if (thread.container != nullptr) thread.container->count(thread, +1);
  const bool is_new = !thread.placed;
  const int target = thread.priority > 0 ? place_realtime(machine_, thread)
                     : is_new            ? place_new(machine_, thread, engine_.now())
                                         : place_woken(machine_, thread, waker, engine_.now());
  Core& core = machine_.core(target);
  accrue(core);
  if (core.idle()) {
    // The kernel's average of the core's idle times, bounded at twice its sched_migration_cost.
    const sim::Duration limit = 2 * machine_.spec.scheduler.cache_hot_for;
    const sim::Duration idled = engine_.now() - core.idle_since;
    core.average_idle = std::min(limit, core.average_idle + (idled - core.average_idle) / 8);
    if (const auto& deep = machine_.spec.idle_state; deep && idled >= deep->residency)
      core.waking = deep->exit_latency;
  }
  if (is_new) {
    thread.core = target;
    // The start value is half of the core's spare capacity (post_init_entity_util_avg).
    if (machine_.tracks_utilisation) thread.utilisation.reset(engine_.now(), core.capacity / 2);
  } else if (target != thread.core) {
    Core& old = machine_.core(thread.core);
    accrue(old);
    load_moves(old, core, thread, engine_.now());
    old.queue.release_sleeper(thread);
    core.queue.adopt_sleeper(thread);
    charge_migration(machine_, thread, core, engine_.now());
  }
  enqueue(core, thread, is_new);
  thread.notify(State::runnable, 0, engine_.now());
  note_load(core);
  if (thread.priority > 0) {
    settle(core);
    realtime_.push(core);
  } else if (thread.held_since == sim::Time::never()) {
    check_preemption(core, thread);
  }
  balance_.plan_all();
}

void Cpu::go_to_sleep(Thread& thread) {
  count_runnable(-1);
  Core& core = machine_.core(thread.core);
  accrue(core);
  dequeue_sleeping(core, thread);
  if (thread.container != nullptr) thread.container->count(thread, -1);
  note_load(core);
  ++thread.statistics.voluntary_switches;
  const bool held_core = core.running == &thread;
  if (held_core) take_off(core);
  thread.notify(State::sleeping, 0, engine_.now());
  held_core ? dispatch(core) : arm(core);
}

// Moves a runnable thread, waiting or running.
void Cpu::migrate(Thread& thread, Core& to) {
  Core& from = machine_.core(thread.core);
  accrue(from);
  accrue(to);
  const bool was_running = from.running == &thread;
  if (was_running) {
    take_off(from);
    ++thread.statistics.involuntary_switches;
  }
  load_moves(from, to, thread, engine_.now());
  if (thread.container != nullptr) thread.container->depart(from, thread);
  from.queue.dequeue_migrating(thread);
  charge_migration(machine_, thread, to, engine_.now());
  const bool admitted = thread.container == nullptr || thread.container->admit(to, thread);
  admitted ? to.queue.enqueue_migrated(thread) : to.queue.adopt_sleeper(thread);
  if (was_running) thread.notify(State::runnable, 0, engine_.now());
  note_load(from);
  note_load(to);
  was_running ? dispatch(from) : arm(from);
  if (admitted) check_preemption(to, thread);
}

}  // namespace jostle::cpu
