// Members of Cpu for real-time threads: arrival, push and pull between cores, the limit of their runtime.
#include "models/cpu/realtime.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {
namespace {

using sim::Duration;
using sim::Time;

// The importance of the core's next thread: its real-time priority, 0 for other threads, -1 if the core is
// idle.
int importance(const Core& core) {
  if (const Thread* const first = core.realtime.first()) return first->priority;
  return core.queue.size() > 0 ? 0 : -1;
}

}  // namespace

void RealTimeQueue::insert(Thread& thread) {
  const auto behind = std::find_if(members.begin(), members.end(),
                                   [&](const Thread* member) { return member->priority < thread.priority; });
  members.insert(behind, &thread);
}

void RealTimeQueue::remove(Thread& thread) {
  members.erase(std::find(members.begin(), members.end(), &thread));
}

bool RealTimeQueue::useful_waiter() const {
  return std::any_of(members.begin() + 1, members.end(), [&](const Thread* member) {
    return member->priority == members.front()->priority && !member->polite;
  });
}

int least_important_core(const Machine& machine, const Thread& thread) {
  const Core& own = machine.core(thread.core);
  const Core* best = nullptr;
  const auto order = [&](const Core& core) {
    return std::tuple(importance(core), &core != &own, core.cluster != own.cluster, core.index);
  };
  for (const Core& core : machine.cores) {
    if (!thread.allowed.contains(core.index) || core.realtime.held()) continue;
    if (best == nullptr || order(core) < order(*best)) best = &core;
  }
  return best != nullptr && importance(*best) < thread.priority ? best->index : -1;
}

int place_realtime(const Machine& machine, const Thread& thread) {
  const bool is_new = !thread.placed;
  if (is_new && thread.start_on >= 0) return thread.start_on;
  if (!is_new && importance(machine.core(thread.core)) < thread.priority) return thread.core;
  const int least = least_important_core(machine, thread);
  if (least >= 0) return least;
  if (thread.allowed.contains(thread.core)) return thread.core;
  for (const Core& core : machine.cores)
    if (thread.allowed.contains(core.index)) return core.index;
  return thread.core;
}

void Cpu::enqueue_realtime(Core& core, Thread& thread) {
  core.realtime.insert(thread);
  if (core.realtime.held()) thread.held_since = engine_.now();
  if (machine_.spec.scheduler.limits_realtime() && !engine_.pending(realtime_event_))
    realtime_event_ =
        engine_.schedule(engine_.now() + realtime_period, sim::action<&Cpu::realtime_period_over>(*this));
}

// Gives the core to the thread that should run, after real-time threads came or went.
void Cpu::settle(Core& core) {
  Thread* const next = next_thread(core);
  if (next == nullptr) return dispatch(core);
  hand_over(core, next);
  arm(core);
}

// push_rt_tasks: real-time threads that wait here go to cores that run less important threads.
void Cpu::push_realtime(Core& core) {
  if (core.realtime.held()) return;
  for (bool moved = true; moved;) {
    moved = false;
    const std::vector<Thread*>& members = core.realtime.members;
    for (std::size_t i = 1; i < members.size() && !moved; ++i) {
      const int target = least_important_core(machine_, *members[i]);
      if (target < 0 || target == core.index) continue;
      move_realtime(*members[i], machine_.core(target));
      moved = true;
    }
  }
}

// pull_rt_task: takes the most important real-time thread that waits elsewhere, if it outranks the threads
// here.
void Cpu::pull_realtime(Core& core) {
  if (core.realtime.held()) return;
  Thread* best = nullptr;
  for (Core& other : machine_.cores) {
    if (&other == &core || other.realtime.held()) continue;
    for (Thread* const thread : other.realtime.members) {
      if (thread == other.realtime.first() || !thread->allowed.contains(core.index)) continue;
      if (thread->priority > std::max(importance(core), best != nullptr ? best->priority : 0)) best = thread;
    }
  }
  if (best == nullptr) return;
  Core& from = machine_.core(best->core);
  from.realtime.remove(*best);
  note_load(from);
  charge_migration(*best, from, core);
  core.realtime.insert(*best);
  note_load(core);
}

void Cpu::move_realtime(Thread& thread, Core& to) {
  Core& from = machine_.core(thread.core);
  accrue(to);
  from.realtime.remove(thread);
  note_load(from);
  charge_migration(thread, from, to);
  to.realtime.insert(thread);
  note_load(to);
  settle(to);
}

// The real-time threads of the core, one of which runs, lose it.
void Cpu::hold_back_realtime(Core& core) {
  for (Thread* const thread : core.realtime.members) thread->held_since = engine_.now();
  Thread& running = *core.running;
  take_off(core);
  ++running.statistics.involuntary_switches;
  notify(running, State::runnable, 0);
  dispatch(core);
}

// One reason for holding back the real-time threads has ended.
void Cpu::release_realtime(Core& core) {
  if (core.realtime.held()) return;
  for (Thread* const thread : core.realtime.members) release(*thread);
}

// do_balance_runtime: takes from each other core an equal share of its unused runtime, until this core has
// the whole period. The isolated cores form one root domain, the others another.
void Cpu::borrow_runtime(Core& core) {
  if (!machine_.kernel().lends_runtime) return;
  const auto in_domain = [&core](const Core& other) {
    return other.online && other.balanced == core.balanced;
  };
  const std::int64_t cores = std::ranges::count_if(machine_.cores, in_domain);
  Duration& runtime = core.realtime.runtime;
  for (Core& other : machine_.cores) {
    if (&other == &core || !in_domain(other)) continue;
    accrue(other);
    const Duration spare = other.realtime.runtime - other.realtime.ran;
    if (spare <= Duration::zero()) continue;
    const Duration lent = std::min(spare / cores, realtime_period - runtime);
    other.realtime.runtime -= lent;
    runtime += lent;
  }
}

void Cpu::realtime_period_over() {
  bool used = false;
  for (Core& core : machine_.cores) {
    RealTimeQueue& queue = core.realtime;
    accrue(core);
    used = used || queue.ran > Duration::zero() || !queue.members.empty();
    if (queue.throttled) borrow_runtime(core);
    queue.ran -= std::min(queue.ran, queue.runtime);
    if (queue.throttled && queue.ran < queue.runtime) {
      queue.throttled = false;
      release_realtime(core);
      if (queue.first() != nullptr) settle(core);
    } else if (core.running != nullptr && core.running->priority > 0) {
      arm(core);
    }
  }
  if (used)
    realtime_event_ =
        engine_.schedule(engine_.now() + realtime_period, sim::action<&Cpu::realtime_period_over>(*this));
}

}  // namespace jostle::cpu
