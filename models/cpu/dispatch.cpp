// Members of Cpu for the timeline of a core: which thread runs, what work it accrues, and when the core's
// next event is.
//
// accrue() adds the work and time since the last call; arm() sets the core's next event. Any state may change
// between the two calls. A core has one event: the end of a phase or request, a tick that ends the slice, or
// a sched_yield, whichever is first.
#include <algorithm>
#include <utility>

#include "models/cpu/cache_debt.hpp"
#include "models/cpu/cpu.hpp"
#include "models/cpu/placement.hpp"
#include "sim/contract.hpp"

namespace jostle::cpu {

void Core::timer_due() {
  cpu->timer_due(*this);
}

sim::Time Cpu::next_tick(sim::Time from) const {
  const sim::Duration tick = machine_.spec.scheduler.tick;
  const sim::Time first = sim::Time::zero() + tick_phase_;
  if (from <= first) return first;
  const std::int64_t ticks = (from - first + tick - sim::Duration{1}) / tick;
  return first + ticks * tick;
}

sim::Duration Cpu::since_tick() const {
  const sim::Time first = sim::Time::zero() + tick_phase_;
  return engine_.now() < first ? engine_.now() - sim::Time::zero()
                               : (engine_.now() - first) % machine_.spec.scheduler.tick;
}

void Cpu::notify(Thread& thread, State state, double rate, sim::Time at) {
  if (state != thread.state) {
    sim::contract(at >= thread.state_since, "the states of a thread follow one another in time");
    thread.statistics.time_in[static_cast<std::size_t>(thread.state)] += at - thread.state_since;
    thread.state_since = at;
    thread.state = state;
  }
  thread.rate = rate;
  if (thread.listener.changed != nullptr) {
    thread.listener.changed(thread.listener.context, state, at, thread.done, rate);
  }
}

// The phase of a running thread, ignoring interrupts.
Cpu::Phase Cpu::phase_of(const Core& core, Thread& thread) const {
  if (thread.switch_left > sim::Duration::zero()) return {State::switching, 0, &thread.switch_left};
  if (thread.refill_left > sim::Duration::zero())
    return {State::refilling, core.rate * machine_.spec.costs.speed_while_refilling, &thread.refill_left};
  return {State::on_core, core.rate, nullptr};
}

void Cpu::watch(ThreadId id, bool watched) {
  Thread& thread = get(id);
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
  Thread& thread = get(id);
  Core& core = machine_.core(thread.core);
  if (core.running != &thread) return;
  for (Phase phase = phase_of(core, thread); phase.left != nullptr; phase = phase_of(core, thread)) {
    const sim::Time end = core.accrued + *phase.left;
    if (end > engine_.now()) return;
    accrue(core, end);
    const Phase next = phase_of(core, thread);
    notify(thread, next.state, next.rate, end);
  }
}

// True if the phases of the running `thread` need no events: no listener watches them, and the result is the
// same whether their time is accounted for at their ends or later.
bool Cpu::phases_pass(const Core& core, const Thread& thread) const {
  return !thread.watched && !thread.polite && !thread.limited() && thread.weight == nice_0_weight &&
         !core.interrupts.any() && !machine_.tracks_utilisation;
}

// The time at which the work of a running thread is done if it goes through its phases undisturbed.
sim::Time Cpu::end_of_work(const Core& core, const Thread& thread) const {
  sim::Time at = core.accrued + thread.switch_left;
  sim::Duration left = thread.remaining;
  if (thread.refill_left > sim::Duration::zero()) {
    const double slow = core.rate * machine_.spec.costs.speed_while_refilling;
    const sim::Duration all = sim::time_for(left, slow);
    if (all <= thread.refill_left) return at + all;
    left -= std::min(left, sim::work_in(thread.refill_left, slow));
    at += thread.refill_left;
  }
  return at + sim::time_for(left, core.rate);
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
  if (thread.limited()) {
    charge(core, thread, elapsed);
  } else {
    core.queue.charge(elapsed.ps());
  }
  if (has_fair_server_ && thread.priority == 0) charge_fair_server(core, elapsed);
  if (machine_.tracks_utilisation) thread.utilisation.advance(now, core.speed);
  // Advances phase by phase: if phases end without events, several may have passed and are reported now.
  for (sim::Duration rest = elapsed;;) {
    const Phase phase = phase_of(core, thread);
    const sim::Duration part = phase.left != nullptr ? std::min(*phase.left, rest) : rest;
    if (phase.left != nullptr) *phase.left -= part;
    rest -= part;
    const sim::Time at = now - rest;
    if (phase.state != State::switching && thread.request == Request::work) {
      // `finishes` was rounded to a picosecond; from that time on all the work counts as done.
      const sim::Duration work = at >= thread.finishes
                                     ? thread.remaining
                                     : std::min(thread.remaining, sim::work_in(part, thread.rate));
      thread.remaining -= work;
      thread.done += work;
      thread.statistics.work += work;
    }
    if (rest == sim::Duration::zero()) {
      // The work done was rounded: an end that was planned beyond this phase may move by a picosecond.
      const bool beyond = phase.state == State::refilling && *phase.left > sim::Duration::zero() &&
                          thread.request == Request::work && thread.finishes > now + *phase.left;
      if (beyond && phases_pass(core, thread)) arm_phase(core);
      return;
    }
    const Phase next = phase_of(core, thread);
    notify(thread, next.state, next.rate, at);
  }
}

void Cpu::arm(Core& core) {
  if (has_fair_server_) plan_fair_server(core);
  if (core.running == nullptr) {
    engine_.cancel(core.timer);
    return;
  }
  // The tick that preempts the running thread.
  const std::int64_t slice_left = core.queue.until_preempted();
  core.tick_due = slice_left == forever
                      ? sim::Time::never()
                      : next_tick(engine_.now() + sim::Duration{std::max<std::int64_t>(slice_left, 1)});
  const bool limited = core.running->limited() || core.realtime.outranked;
  core.limit_due = limited ? limit_due(core) : sim::Time::never();
  arm_phase(core);
}

// The part of arm() that remains if only the phase has changed: the slice still ends at the same tick.
void Cpu::arm_phase(Core& core) {
  const sim::Time now = core.accrued;  // for phases just reported: the end of the last of them
  Thread& thread = *core.running;

  const Phase phase = phase_of(core, thread);
  double rate = phase.rate;
  sim::Time phase_end = phase.left != nullptr ? now + *phase.left : sim::Time::never();
  if (core.interrupts.any()) {
    const bool interrupted = core.interrupts.busy(now);
    if (interrupted) rate = 0;
    const sim::Time change = core.interrupts.next_change(now);
    phase_end = interrupted ? change : std::min(phase_end, change);
  }
  if (phase.state != thread.state || rate != thread.rate) notify(thread, phase.state, rate);

  thread.finishes = sim::Time::never();
  if (phase_end != sim::Time::never() && phases_pass(core, thread)) {
    phase_end = sim::Time::never();
    if (thread.request == Request::work) thread.finishes = end_of_work(core, thread);
  } else if (thread.request == Request::work && rate > 0) {
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

void Cpu::timer_due(Core& core) {
  const sim::Time now = engine_.now();
  accrue(core);
  Thread& thread = *core.running;
  const bool finished = now >= thread.finishes;
  if (finished) finish_request(thread);
  if (now >= core.limit_due && over_limit(core)) {
    enforce_limit(core);
    return;
  }
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
  count_streaming(core, thread, -1);
  core.running = nullptr;
  core.last = &thread;
  if (core.track != sim::TrackId::none) engine_.trace()->end(core.track, engine_.now());
}

// Gives the core to `next`, which the queue has picked; it may run already. Null: the core idles.
void Cpu::hand_over(Core& core, Thread* next) {
  if (next == core.running) return;
  if (core.running != nullptr) {
    Thread& preempted = *core.running;
    take_off(core);
    ++preempted.statistics.involuntary_switches;
    notify(preempted, State::runnable, 0);
  }
  core.accrued = engine_.now();
  core.running = next;
  if (next == nullptr) return;
  charge_debt(core, *next);
  count_streaming(core, *next, +1);
  if (core.last != next) {
    next->switch_left = machine_.spec.costs.context_switch + std::exchange(core.waking, {});
    ++core.statistics.switches;
  }
  next->placed = true;
  if (core.track != sim::TrackId::none) engine_.trace()->begin(core.track, engine_.now(), next->title);
}

// A streaming thread takes (+1) or leaves (-1) a core.
void Cpu::count_streaming(const Core& core, const Thread& thread, int change) {
  if (!thread.streams) return;
  Cluster& cluster = machine_.clusters[static_cast<std::size_t>(core.cluster)];
  cluster.streamed = cluster.streamed_by(engine_.now());
  cluster.streaming_since = engine_.now();
  cluster.streaming += change;
}

// The share of its cached state that a thread has lost since it left this core. Its private state is lost to
// threads that ran on the core; its state in the cluster's shared cache to threads that streamed through that
// cache.
double Cpu::lost_by(Core& core, const Thread& thread) {
  const double here = core.cache_loss.share(core.statistics.busy - thread.core_busy_at_exit);
  const ClusterSpec& spec = machine_.spec.clusters[static_cast<std::size_t>(core.cluster)];
  const sim::Duration streamed =
      machine_.cluster_of(core).streamed_by(engine_.now()) - thread.streamed_at_exit;
  if (here == 1 || streamed <= sim::Duration::zero() || thread.working_set_bytes <= spec.cache_bytes)
    return here;
  const double shared = 1 - spec.cache_bytes / thread.working_set_bytes;
  return std::max(here, shared * core.cache_loss.streamed(streamed));
}

// Charges a thread the cache debt for the threads that ran on this core since it left. A migration is charged
// when it happens (migrate, make_runnable).
void Cpu::charge_debt(Core& core, Thread& thread) {
  if (!thread.placed || std::exchange(thread.moved, false)) return;
  if (thread.refill_cluster != core.cluster) {
    const CostSpec& costs = machine_.spec.costs;
    const ClusterSpec& cluster = machine_.spec.clusters[static_cast<std::size_t>(core.cluster)];
    thread.whole_refill = refill_time(costs, whole_preemption_debt(costs, cluster, thread.working_set_bytes));
    thread.refill_cluster = core.cluster;
  }
  if (thread.whole_refill == sim::Duration::zero()) return;
  const double lost = lost_by(core, thread);
  if (lost == 0) return;
  thread.refill_left =
      combined_refill(thread.refill_left, sim::work_in(thread.whole_refill, lost), thread.whole_refill);
}

// A thread left the core, or arrived at an idle core: runs the next thread, or leaves the core idle.
void Cpu::dispatch(Core& core) {
  if (has_realtime_) pull_realtime(core);
  if (core.idle()) pull_before_idling(core);
  if (core.idle()) {
    core.last = nullptr;
    core.idle_since = engine_.now();
    core.accrued = engine_.now();
    if (engine_.pending(core.balance_event)) plan_balance(core);
  } else {
    hand_over(core, next_thread(core));
  }
  arm(core);
}

// The next thread: a real-time thread, else the policy's choice. One must exist.
Thread* Cpu::next_thread(Core& core) {
  if (!has_realtime_) return static_cast<Thread*>(core.queue.pick());
  if (Thread* const first = core.realtime.first()) {
    core.queue.put_back();
    return first;
  }
  return core.queue.size() > 0 ? static_cast<Thread*>(core.queue.pick()) : nullptr;
}

void Cpu::check_preemption(Core& core, Thread& arrived) {
  if (core.running == nullptr) {
    dispatch(core);
    return;
  }
  if (core.running->priority > 0) {
    arm(core);
    return;
  }
  const std::int64_t ran = core.queue.current()->executed - core.queue.current()->executed_at_pick;
  if (core.queue.preempts(arrived, std::min(ran, since_tick().ps()))) {
    hand_over(core, static_cast<Thread*>(core.queue.pick()));
  }
  arm(core);
}

void Cpu::count_runnable(int change) {
  runnable_ += change;
  if (sim::TraceSink* trace = engine_.trace()) trace->count(run_queue_counter_, engine_.now(), runnable_);
}

void Cpu::make_runnable(Thread& thread, int waker) {
  count_runnable(1);
  count_in_container(thread, 1);
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
  } else {
    if (target != thread.core) {
      Core& old = machine_.core(thread.core);
      accrue(old);
      load_moves(old, core, thread, engine_.now());
      old.queue.release_sleeper(thread);
      core.queue.adopt_sleeper(thread);
      charge_migration(thread, old, core);
    }
  }
  enqueue(core, thread, is_new);
  notify(thread, State::runnable, 0);
  note_load(core);
  if (thread.priority > 0) {
    settle(core);
    push_realtime(core);
  } else if (thread.held_since == sim::Time::never()) {
    check_preemption(core, thread);
  }
  plan_balances();
}

void Cpu::go_to_sleep(Thread& thread) {
  count_runnable(-1);
  Core& core = machine_.core(thread.core);
  accrue(core);
  dequeue_sleeping(core, thread);
  count_in_container(thread, -1);
  note_load(core);
  ++thread.statistics.voluntary_switches;
  const bool held_core = core.running == &thread;
  if (held_core) take_off(core);
  notify(thread, State::sleeping, 0);
  if (held_core) {
    dispatch(core);
  } else {
    arm(core);
  }
}

}  // namespace jostle::cpu
