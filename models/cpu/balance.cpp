#include "models/cpu/balance.hpp"

#include <algorithm>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {
namespace {

std::int64_t ticks_of(sim::Duration duration, sim::Duration tick) {
  return (duration + tick - sim::Duration{1}) / tick;
}

}  // namespace

void Core::balance_due() {
  cpu->balance_.balance_due(*this);
}

std::int64_t LoadBalance::least_interval(const Core& core, DomainLevel level) const {
  const bool board = level == DomainLevel::board;
  return std::max(1, board ? machine_.balanced.count() : machine_.cluster_of(core).balanced);
}

sim::Duration LoadBalance::interval(Core& core, DomainLevel level) const {
  const sim::Duration tick = machine_.ticks.period;
  const KernelVersion& kernel = machine_.kernel();
  const bool busy = !core.idle();
  const sim::Duration planned = sim::milliseconds(1) * core.balancing_at(level).interval;
  std::int64_t ticks = ticks_of(planned * (busy ? kernel.busy_factor : 1), tick);
  if (busy && kernel.busy_less_a_tick) --ticks;
  // max_load_balance_interval: 100 ms for every online core.
  const std::int64_t longest = ticks_of(sim::milliseconds(100) * machine_.online_count, tick);
  return tick * std::clamp<std::int64_t>(ticks, 1, std::max<std::int64_t>(1, longest));
}

void LoadBalance::start(const sim::RandomStream& random) {
  random_ = random;
  const sim::Duration tick = machine_.ticks.period;
  for (Core& core : machine_.cores) {
    for (const DomainLevel level : levels()) {
      Balancing& balancing = core.balancing_at(level);
      balancing.interval = least_interval(core, level);
      const std::int64_t ticks =
          ticks_of(sim::milliseconds(1) * balancing.interval * machine_.kernel().busy_factor, tick);
      const auto phase = static_cast<std::int64_t>(random_->below(static_cast<std::uint64_t>(ticks)));
      balancing.last = sim::Time::zero() - tick * phase;
    }
  }
}

void LoadBalance::note_load(Core& core) {
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

// Only cores to which a thread could go have events.
void LoadBalance::plan_all() {
  if (!useful() || planned_ == (machine_.ever_allowed & machine_.balanced).count()) return;
  for (Core& core : machine_.cores) {
    if (!core.balanced || !machine_.ever_allowed.contains(core.index)) continue;
    if (!engine_.pending(core.balance_event)) plan(core);
  }
}

// Plans the next balance for the first tick at which one of the core's levels is due. If the core has become
// idle since, that may be earlier than planned.
void LoadBalance::plan(Core& core) {
  sim::Time due = sim::Time::never();
  for (const DomainLevel level : levels()) {
    if (!engine_.pending(core.balance_event)) catch_up(core, level);
    due = std::min(due, core.balancing_at(level).last + interval(core, level));
  }
  due = machine_.ticks.next(std::max(due, engine_.now() + sim::Duration{1}));
  if (!engine_.pending(core.balance_event)) {
    ++planned_;
    core.balance_event = engine_.schedule(due, sim::action<&Core::balance_due>(core));
    core.balance_at = due;
  } else if (due < core.balance_at) {
    engine_.reschedule(core.balance_event, due);
    core.balance_at = due;
  }
}

// The skipped balances would have found nothing to do: so the interval is at its longest, and the last
// balance is put on the core's own grid of ticks.
void LoadBalance::catch_up(Core& core, DomainLevel level) {
  Balancing& balancing = core.balancing_at(level);
  if (core.idle() || engine_.now() < balancing.last + interval(core, level)) return;
  const sim::Time before = std::max(balancing.last, core.busy_since);
  balancing.interval = 2 * least_interval(core, level);
  const sim::Duration period = interval(core, level);
  balancing.last = before + period * ((engine_.now() - before) / period);
}

// The delay of a balance by one tick, or none. All cores tick at once, and one of them counts the jiffies:
// another core sees the new count or the old one. If it sees the old one, and then two new ones, its balance
// is a tick late, and so are the following ones.
sim::Duration LoadBalance::lateness() {
  return random_->below(4) == 0 ? machine_.ticks.period : sim::Duration::zero();
}

void LoadBalance::balance_due(Core& core) {
  --planned_;
  if (!useful()) return;
  for (const DomainLevel level : levels()) {
    Balancing& balancing = core.balancing_at(level);
    if (engine_.now() < balancing.last + interval(core, level)) continue;
    balance(core, level, core.idle() ? Idleness::idle : Idleness::busy);
    balancing.last = engine_.now() + lateness();
  }
  plan(core);
}

void LoadBalance::pull_before_idling(Core& core) {
  if (!core.balanced || overloaded_cores_ == 0) return;
  if (core.average_idle < machine_.spec.scheduler.cache_hot_for) return;
  for (const DomainLevel level : levels()) {
    if (balance(core, level, Idleness::newly_idle)) return;
  }
}

// True if a thread moved.
bool LoadBalance::balance(Core& core, DomainLevel level, Idleness idleness) {
  const Pull pull = find_pull(machine_, core, level, idleness, engine_.now());
  if (pull.running != nullptr) cpu_.migrate(*pull.running, core);
  for (Thread* const thread : pull.threads) cpu_.migrate(*thread, core);

  Balancing& balancing = core.balancing_at(level);
  const bool moved = pull.outcome == Outcome::moving;
  const bool unequal = moved || pull.outcome == Outcome::failed;
  const bool planned = idleness != Idleness::newly_idle;
  if (pull.outcome != Outcome::failed) {
    balancing.failed = 0;
  } else if (planned) {
    ++balancing.failed;
  }
  if (!unequal && !planned) return false;
  const std::int64_t least = least_interval(core, level);
  const std::int64_t longest = pull.outcome == Outcome::pinned ? longest_pinned_interval_ms : 2 * least;
  if (unequal) {
    balancing.interval = least;
  } else if (balancing.interval < longest) {
    balancing.interval *= 2;
  }
  return moved;
}

}  // namespace jostle::cpu
