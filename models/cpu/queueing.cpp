// Members of Cpu for threads that come to the queues of a core and leave them: wake-up, sleep, migration.
#include <algorithm>

#include "models/cpu/cpu.hpp"
#include "models/cpu/placement.hpp"

namespace jostle::cpu {

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
