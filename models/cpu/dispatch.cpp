// Members of Cpu for the choice of the thread that runs on a core, and its handover.
#include <algorithm>
#include <utility>

#include "models/cpu/cpu.hpp"
#include "sim/contract.hpp"

namespace jostle::cpu {

void Core::timer_due() {
  cpu->timer_due(*this);
}

void Cpu::timer_due(Core& core) {
  const sim::Time now = engine_.now();
  accrue(core);
  Thread& thread = *core.running;
  const bool finished = now >= thread.finishes;
  if (finished) finish_request(thread);
  if (now >= core.limit_due && enforce_limit(core)) return;
  // Time in interrupts does not count towards a thread's slice.
  const bool late = core.interrupts.any() && core.queue.until_preempted() > 0;
  if (now >= core.tick_due && !late) {
    core.queue.slice_over();
    hand_over(core, static_cast<Thread*>(core.queue.pick()));
  } else if (now >= core.yield_due && thread.polite) {
    if (thread.priority > 0) {
      core.realtime.remove(thread);
      core.realtime.insert(thread);
    }
    hand_over(core, thread.priority > 0 ? core.realtime.first() : static_cast<Thread*>(core.queue.yield()));
  } else if (now < core.limit_due && !late) {
    // The thread's next request, made at this instant, sets the next event.
    if (!finished) arm_phase(core);
    return;
  }
  arm(core);
}

void Cpu::take_off(Core& core) {
  sim::contract(core.running != nullptr && core.running->core == core.index,
                "a thread that leaves a core had that core");
  Thread& thread = *core.running;
  thread.switch_left = sim::Duration::zero();
  thread.finishes = sim::Time::never();
  thread.left_core = engine_.now();
  thread.core_busy_at_exit = core.statistics.busy;
  thread.streamed_at_exit = machine_.cluster_of(core).streamed_by(thread.left_core);
  machine_.cluster_of(core).count(thread, machine_.spec_of(core).shared_cache_bytes, -1, engine_.now());
  core.running = nullptr;
  core.last = &thread;
  if (core.track != sim::TrackId::none) engine_.trace()->end(core.track, engine_.now());
}

// The running thread loses its core and waits for another turn.
void Cpu::preempt(Core& core) {
  Thread& thread = *core.running;
  take_off(core);
  ++thread.statistics.involuntary_switches;
  thread.notify(State::runnable, 0, engine_.now());
}

// Gives the core to `next`, which the queue has picked; it may run already. Null: the core idles.
void Cpu::hand_over(Core& core, Thread* next) {
  if (next == core.running) return;
  if (core.running != nullptr) preempt(core);
  core.accrued = engine_.now();
  core.running = next;
  if (next == nullptr) return;
  charge_return(machine_, core, *next, engine_.now());
  machine_.cluster_of(core).count(*next, machine_.spec_of(core).shared_cache_bytes, +1, engine_.now());
  if (core.last != next) {
    next->switch_left = machine_.spec.costs.context_switch + std::exchange(core.waking, {});
    ++core.statistics.switches;
  }
  next->placed = true;
  if (core.track != sim::TrackId::none) engine_.trace()->begin(core.track, engine_.now(), next->title);
}

// A thread left the core, or arrived at an idle core: runs the next thread, or leaves the core idle.
void Cpu::dispatch(Core& core) {
  if (machine_.has_realtime) realtime_.pull(core);
  if (core.idle()) balance_.pull_before_idling(core);
  if (core.idle()) {
    core.last = nullptr;
    core.idle_since = engine_.now();
    core.accrued = engine_.now();
    balance_.core_idles(core);
  } else {
    hand_over(core, next_thread(core));
  }
  arm(core);
}

// The next thread: a real-time thread, else the policy's choice. One must exist.
Thread* Cpu::next_thread(Core& core) {
  if (!machine_.has_realtime) return static_cast<Thread*>(core.queue.pick());
  if (Thread* const first = core.realtime.first()) {
    core.queue.put_back();
    return first;
  }
  return core.queue.size() > 0 ? static_cast<Thread*>(core.queue.pick()) : nullptr;
}

// Gives the core to the thread that should run, after real-time threads came or went.
void Cpu::settle(Core& core) {
  Thread* const next = next_thread(core);
  if (next == nullptr) return dispatch(core);
  hand_over(core, next);
  arm(core);
}

// A thread arrived in the run queue of the core.
void Cpu::check_preemption(Core& core, Thread& arrived) {
  if (core.running == nullptr) return dispatch(core);
  if (core.running->priority > 0) return arm(core);
  const std::int64_t ran = core.queue.current()->executed - core.queue.current()->executed_at_pick;
  if (core.queue.preempts(arrived, std::min(ran, machine_.ticks.since(engine_.now()).ps()))) {
    hand_over(core, static_cast<Thread*>(core.queue.pick()));
  }
  arm(core);
}

}  // namespace jostle::cpu
