// When cores look for work elsewhere, and the move itself: before idling, and periodically on ticks.
#include <algorithm>

#include "models/cpu/balance.hpp"
#include "models/cpu/cache_debt.hpp"
#include "models/cpu/cpu.hpp"

namespace jostle::cpu {
namespace {

constexpr int busy_factor = 16;  // a busy core balances that much more rarely

}  // namespace

void Core::balance_due() {
  cpu->balance_due(*this);
}

sim::Duration Cpu::balance_interval(const Core& core, DomainLevel level) const {
  const int weight = level == DomainLevel::board ? machine_.online_count : machine_.cluster_of(core).online;
  return sim::milliseconds(weight) * (core.idle() ? 1 : busy_factor);
}

void Cpu::note_load(Core& core) {
  const bool overloaded = core.runnable() > 1;
  if (overloaded == core.overloaded) return;
  core.overloaded = overloaded;
  overloaded_cores_ += overloaded ? 1 : -1;
}

// Balance events exist only while there is something that could be moved, on cores where it could go.
void Cpu::plan_balances() {
  if (!balance_useful() || planned_balances_ == ever_allowed_.count()) return;
  for (Core& core : machine_.cores) {
    if (ever_allowed_.contains(core.index) && !engine_.pending(core.balance_event)) plan_balance(core);
  }
}

// On the first tick at which one of its levels is due; sooner than planned if it has become idle since.
void Cpu::plan_balance(Core& core) {
  sim::Time due = core.last_balance[0] + balance_interval(core, DomainLevel::cluster);
  if (machine_.clusters.size() > 1) {
    due = std::min(due, core.last_balance[1] + balance_interval(core, DomainLevel::board));
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
  for (const DomainLevel level : {DomainLevel::cluster, DomainLevel::board}) {
    if (level == DomainLevel::board && machine_.clusters.size() == 1) continue;
    sim::Time& last = core.last_balance[static_cast<std::size_t>(level)];
    if (engine_.now() < last + balance_interval(core, level)) continue;
    last = engine_.now();
    balance(core, level, false);
  }
  plan_balance(core);
}

void Cpu::pull_before_idling(Core& core) {
  if (overloaded_cores_ == 0 || core.average_idle < machine_.spec.scheduler.migration_cost) return;
  for (const DomainLevel level : {DomainLevel::cluster, DomainLevel::board}) {
    if (level == DomainLevel::board && machine_.clusters.size() == 1) continue;
    if (balance(core, level, true)) return;
  }
}

bool Cpu::balance(Core& core, DomainLevel level, bool newly_idle) {
  const Idleness idleness = newly_idle ? Idleness::newly_idle : core.idle() ? Idleness::idle : Idleness::busy;
  const Pull pull = find_pull(machine_, core, level, idleness, engine_.now());
  int& failed = core.failed_balances[static_cast<std::size_t>(level)];
  if (pull.misfit != nullptr) migrate(*pull.misfit, core);
  for (Thread* const thread : pull.threads) migrate(*thread, core);
  const bool moved = pull.misfit != nullptr || !pull.threads.empty();
  if (moved || !pull.wanted) {
    failed = 0;
  } else if (!newly_idle) {
    ++failed;
  }
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
  depart(from, thread);
  from.queue.dequeue_migrating(thread);
  charge_migration(thread, from, to);
  const bool admitted = admit(to, thread);
  if (admitted) {
    to.queue.enqueue_migrated(thread);
  } else {
    to.queue.adopt_sleeper(thread);
  }
  if (was_running) tell(thread, State::runnable, 0);
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
