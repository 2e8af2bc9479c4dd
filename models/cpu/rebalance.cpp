// Members of Cpu for the load balance: before idling and periodically on ticks, and the move of a thread.
#include <algorithm>

#include "models/cpu/cache_debt.hpp"
#include "models/cpu/cpu.hpp"

namespace jostle::cpu {

void Core::balance_due() {
  cpu->balance_due(*this);
}

void Cpu::note_load(Core& core) {
  if (has_fair_server_) note_fair_threads(core);
  if (core.idle()) {
    core.busy_since = sim::Time::never();
  } else if (core.busy_since == sim::Time::never()) {
    core.busy_since = engine_.now();
  }
  const bool overloaded = core.balanced && core.runnable() > 1;
  if (overloaded == core.overloaded) return;
  core.overloaded = overloaded;
  overloaded_cores_ += overloaded ? 1 : -1;
}

// Plans balances: events exist only while some thread could be moved, on cores where it could go.
void Cpu::plan_balances() {
  if (!balance_useful() || planned_balances_ == (ever_allowed_ & machine_.balanced).count()) return;
  for (Core& core : machine_.cores) {
    if (!core.balanced || !ever_allowed_.contains(core.index)) continue;
    if (!engine_.pending(core.balance_event)) plan_balance(core);
  }
}

// Plans the next balance for the first tick at which one of the core's levels is due. If the core has become
// idle since, that may be earlier than planned.
void Cpu::plan_balance(Core& core) {
  sim::Time due = sim::Time::never();
  for (const DomainLevel level : levels()) {
    if (!engine_.pending(core.balance_event)) catch_up(core, level);
    due = std::min(due, core.balancing[static_cast<std::size_t>(level)].last + balance_interval(core, level));
  }
  due = next_tick(std::max(due, engine_.now() + sim::Duration{1}));
  if (!engine_.pending(core.balance_event)) {
    ++planned_balances_;
    core.balance_event = engine_.schedule(due, sim::action<&Core::balance_due>(core));
    core.balance_at = due;
  } else if (due < core.balance_at) {
    engine_.reschedule(core.balance_event, due);
    core.balance_at = due;
  }
}

void Cpu::balance_due(Core& core) {
  --planned_balances_;
  if (!balance_useful()) return;
  for (const DomainLevel level : levels()) {
    Balancing& balancing = core.balancing[static_cast<std::size_t>(level)];
    if (engine_.now() < balancing.last + balance_interval(core, level)) continue;
    balance(core, level, core.idle() ? Idleness::idle : Idleness::busy);
    balancing.last = engine_.now() + lateness();
  }
  plan_balance(core);
}

void Cpu::pull_before_idling(Core& core) {
  if (!core.balanced || overloaded_cores_ == 0) return;
  if (core.average_idle < machine_.spec.scheduler.cache_hot_for) return;
  for (const DomainLevel level : levels()) {
    if (balance(core, level, Idleness::newly_idle)) return;
  }
}

bool Cpu::balance(Core& core, DomainLevel level, Idleness idleness) {
  const Pull pull = find_pull(machine_, core, level, idleness, engine_.now());
  if (pull.running != nullptr) migrate(*pull.running, core);
  for (Thread* const thread : pull.threads) migrate(*thread, core);
  Balancing& balancing = core.balancing[static_cast<std::size_t>(level)];
  const bool moved = pull.outcome == Outcome::moving;
  if (pull.outcome != Outcome::failed) {
    balancing.failed = 0;
  } else if (idleness != Idleness::newly_idle) {
    ++balancing.failed;
  }
  const bool unequal = moved || pull.outcome == Outcome::failed;
  if (unequal || idleness != Idleness::newly_idle) finish_balance(core, level, pull.outcome);
  return moved;
}

void Cpu::charge_migration(Thread& thread, const Core& from, const Core& to) {
  const CostSpec& costs = machine_.spec.costs;
  const bool across = from.cluster != to.cluster;
  const ClusterSpec& cluster = machine_.spec.clusters[static_cast<std::size_t>(to.cluster)];
  const sim::Duration refill =
      refill_time(costs, migration_debt(costs, cluster, across, thread.working_set_bytes));
  if (thread.placed) thread.refill_left = combined_refill(thread.refill_left, refill, refill);
  ++thread.statistics.migrations;
  if (across) ++thread.statistics.cluster_migrations;
  thread.core = to.index;
  thread.moved = true;
  thread.moved_at = engine_.now();
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
  depart(from, thread);
  from.queue.dequeue_migrating(thread);
  charge_migration(thread, from, to);
  const bool admitted = admit(to, thread);
  if (admitted) {
    to.queue.enqueue_migrated(thread);
  } else {
    to.queue.adopt_sleeper(thread);
  }
  if (was_running) notify(thread, State::runnable, 0);
  note_load(from);
  note_load(to);
  if (was_running) {
    dispatch(from);
  } else {
    arm(from);
  }
  if (admitted) check_preemption(to, thread);
}

}  // namespace jostle::cpu
