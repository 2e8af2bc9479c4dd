// Members of Cpu for the timeline of a core: what work the running thread accrues, and when the core's next
// event is.
//
// accrue() adds the work and time since the last call; arm() sets the core's next event. Any state may change
// between the two calls. A core has one event: the end of a phase or request, a tick that ends the slice, or
// a sched_yield, whichever is first.
#include <algorithm>
#include <utility>

#include "models/cpu/cpu.hpp"
#include "sim/contract.hpp"

namespace jostle::cpu {
namespace {

struct Phase {
  State state;
  double rate;
  sim::Duration* left;  // rest of the phase; null: it does not end by itself
};

// The phase of a running thread, ignoring interrupts.
Phase phase_of(const Machine& machine, const Core& core, Thread& thread) {
  if (thread.switch_left > sim::Duration::zero()) return {State::switching, 0, &thread.switch_left};
  if (thread.refill_left > sim::Duration::zero())
    return {State::refilling, core.rate * machine.spec.costs.speed_while_refilling, &thread.refill_left};
  return {State::on_core, core.rate, nullptr};
}

// True if the phases of the running `thread` need no events: no listener watches them, and the result is the
// same whether their time is accounted for at their ends or later.
bool phases_pass(const Machine& machine, const Core& core, const Thread& thread) {
  return !thread.watched && !thread.polite && !thread.limited() && thread.weight == nice_0_weight &&
         !core.interrupts.any() && !machine.tracks_utilisation;
}

// The time at which the work of a running thread is done if it goes through its phases undisturbed.
sim::Time end_of_work(const Machine& machine, const Core& core, const Thread& thread) {
  sim::Time at = core.accrued + thread.switch_left;
  sim::Duration left = thread.remaining;
  if (thread.refill_left > sim::Duration::zero()) {
    const double slow = core.rate * machine.spec.costs.speed_while_refilling;
    const sim::Duration all = sim::time_for(left, slow);
    if (all <= thread.refill_left) return at + all;
    left -= std::min(left, sim::work_in(thread.refill_left, slow));
    at += thread.refill_left;
  }
  return at + sim::time_for(left, core.rate);
}

}  // namespace

void Thread::notify(State entered, double new_rate, sim::Time at) {
  if (entered != state) {
    sim::contract(at >= state_since, "the states of a thread follow one another in time");
    statistics.time_in[static_cast<std::size_t>(state)] += at - state_since;
    state_since = at;
    state = entered;
  }
  rate = new_rate;
  if (listener.changed != nullptr) listener.changed(listener.context, state, at, done, rate);
}

void Cpu::watch(ThreadId id, bool watched) {
  Thread& thread = machine_.thread(id);
  const bool in_phase = thread.state == State::switching || thread.state == State::refilling;
  if (watched && !thread.watched && in_phase) {
    notify_phases(id);
    thread.watched = true;
    arm_phase(machine_.core(thread.core));
  }
  thread.watched = watched;
}

// Accounts as if each phase had ended with an event. It stops at the end of the last phase that has passed,
// so that the rounding stays the same.
void Cpu::notify_phases(ThreadId id) {
  Thread& thread = machine_.thread(id);
  Core& core = machine_.core(thread.core);
  if (core.running != &thread) return;
  while (true) {
    const Phase phase = phase_of(machine_, core, thread);
    const sim::Time end = phase.left != nullptr ? core.accrued + *phase.left : sim::Time::never();
    if (end > engine_.now()) return;
    accrue(core, end);
    const Phase next = phase_of(machine_, core, thread);
    thread.notify(next.state, next.rate, end);
  }
}

void Cpu::accrue(Core& core, sim::Time now) {
  const sim::Duration elapsed = now - core.accrued;
  const sim::Time since = std::exchange(core.accrued, now);
  if (elapsed == sim::Duration::zero()) return;
  sim::contract(elapsed > sim::Duration::zero(), "a core accounts for its time in order");
  if (core.running == nullptr) {
    core.statistics.busy += core.interrupts.total(now) - core.interrupts.total(since);
    return;
  }
  Thread& thread = *core.running;
  core.statistics.busy += elapsed;
  if (core.interrupts.busy(since)) {  // every burst begins and ends with an event
    core.statistics.interrupted += elapsed;
    return;
  }
  thread.limited() ? charge(core, thread, elapsed) : core.queue.charge(elapsed.ps());
  if (machine_.has_fair_server && thread.priority == 0)
    core.realtime.fair.charge(elapsed, now, core.realtime.outranked);
  if (machine_.tracks_utilisation) thread.utilisation.advance(now, core.speed);
  // Advances phase by phase: if phases end without events, several may have passed and are reported now.
  for (sim::Duration rest = elapsed;;) {
    const Phase phase = phase_of(machine_, core, thread);
    const sim::Duration part = phase.left != nullptr ? std::min(*phase.left, rest) : rest;
    if (phase.left != nullptr) *phase.left -= part;
    rest -= part;
    const sim::Time at = now - rest;
    if (phase.state != State::switching && thread.ends()) {
      // `finishes` was rounded to a picosecond; from that time on all the work counts as done.
      const sim::Duration work = at >= thread.finishes
                                     ? thread.remaining
                                     : std::min(thread.remaining, sim::work_in(part, thread.rate));
      thread.remaining -= work;
      if (thread.request == Request::work) {
        thread.done += work;
        thread.statistics.work += work;
      }
    }
    if (rest == sim::Duration::zero()) {
      // The work done was rounded: an end that was planned beyond this phase may move by a picosecond.
      const bool beyond = phase.state == State::refilling && *phase.left > sim::Duration::zero() &&
                          thread.request == Request::work && thread.finishes > now + *phase.left;
      if (beyond && phases_pass(machine_, core, thread)) arm_phase(core);
      return;
    }
    const Phase next = phase_of(machine_, core, thread);
    thread.notify(next.state, next.rate, at);
  }
}

void Cpu::arm(Core& core) {
  if (machine_.has_fair_server) realtime_.plan_fair_server(core);
  if (core.running == nullptr) {
    engine_.cancel(core.timer);
    return;
  }
  // The tick that preempts the running thread.
  const std::int64_t slice_left = core.queue.until_preempted();
  core.tick_due =
      slice_left == forever
          ? sim::Time::never()
          : machine_.ticks.next(engine_.now() + sim::Duration{std::max<std::int64_t>(slice_left, 1)});
  const bool limited = core.running->limited() || core.realtime.outranked;
  core.limit_due = limited ? limit_due(core) : sim::Time::never();
  arm_phase(core);
}

// The part of arm() that remains if only the phase has changed: the slice still ends at the same tick.
void Cpu::arm_phase(Core& core) {
  const sim::Time now = core.accrued;  // for phases just reported: the end of the last of them
  Thread& thread = *core.running;

  const Phase phase = phase_of(machine_, core, thread);
  double rate = phase.rate;
  sim::Time phase_end = phase.left != nullptr ? now + *phase.left : sim::Time::never();
  if (core.interrupts.any()) {
    const bool interrupted = core.interrupts.busy(now);
    if (interrupted) rate = 0;
    const sim::Time change = core.interrupts.next_change(now);
    phase_end = interrupted ? change : std::min(phase_end, change);
  }
  if (phase.state != thread.state || rate != thread.rate) thread.notify(phase.state, rate, engine_.now());

  thread.finishes = sim::Time::never();
  if (phase_end != sim::Time::never() && phases_pass(machine_, core, thread)) {
    phase_end = sim::Time::never();
    if (thread.ends()) thread.finishes = end_of_work(machine_, core, thread);
  } else if (thread.ends() && rate > 0) {
    thread.finishes = now + sim::time_for(thread.remaining, rate);
  }
  core.yield_due = sim::Time::never();
  const bool realtime = thread.priority > 0;
  if (thread.polite && rate > 0 && (realtime ? core.realtime.useful_waiter() : core.queue.useful_waiter())) {
    const sim::Duration earliest{realtime ? 0 : core.queue.until_yield_succeeds()};
    core.yield_due = now + std::max({sim::time_for(thread.poll, rate), earliest, sim::Duration{1}});
  }

  sim::Time next = std::min(phase_end, thread.finishes);
  next = std::min(next, std::min(core.tick_due, core.limit_due));
  next = std::min(next, core.yield_due);
  if (next == core.timer_at && engine_.pending(core.timer)) return;
  engine_.set(core.timer, next, sim::action<&Core::timer_due>(core));
  core.timer_at = next;
}

}  // namespace jostle::cpu
