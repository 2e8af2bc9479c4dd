// Members of Cpu for the times at which cores balance: intervals that double while there is nothing to do, on
// ticks that differ between cores.
//
// Follows rebalance_domains, get_sd_balance_interval and the end of load_balance in kernel/sched/fair.c. In
// the kernel every busy core keeps balancing; here events exist only while some thread could be moved.
// catch_up() returns a core that resumes balancing to the tick on which it would have balanced in the kernel.
#include <algorithm>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {
namespace {

std::int64_t ticks_of(sim::Duration duration, sim::Duration tick) {
  return (duration + tick - sim::Duration{1}) / tick;
}

}  // namespace

int Cpu::domain_weight(const Core& core, DomainLevel level) const {
  return level == DomainLevel::board ? machine_.balanced.count() : machine_.cluster_of(core).balanced;
}

sim::Duration Cpu::balance_interval(const Core& core, DomainLevel level) const {
  const sim::Duration tick = machine_.spec.scheduler.tick;
  const KernelVersion& kernel = machine_.kernel();
  const bool busy = !core.idle();
  const std::int64_t interval = core.balancing[static_cast<std::size_t>(level)].interval;
  std::int64_t ticks = ticks_of(sim::milliseconds(1) * interval * (busy ? kernel.busy_factor : 1), tick);
  if (busy && kernel.busy_less_a_tick) --ticks;
  // max_load_balance_interval: 100 ms for every online core.
  const std::int64_t longest = ticks_of(sim::milliseconds(100) * machine_.online_count, tick);
  return tick * std::clamp<std::int64_t>(ticks, 1, std::max<std::int64_t>(1, longest));
}

void Cpu::start_balancing(Core& core) {
  for (const DomainLevel level : levels()) {
    Balancing& balancing = core.balancing[static_cast<std::size_t>(level)];
    balancing.interval = std::max(1, domain_weight(core, level));
    const std::int64_t ticks =
        ticks_of(sim::milliseconds(1) * balancing.interval * machine_.kernel().busy_factor,
                 machine_.spec.scheduler.tick);
    const auto phase = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(ticks)));
    balancing.last = sim::Time::zero() - machine_.spec.scheduler.tick * phase;
  }
}

// The delay of a balance by one tick, or none. All cores tick at once, and one of them counts the jiffies:
// another core sees the new count or the old one. If it sees the old one, and then two new ones, its balance
// is a tick late, and so are the following ones.
sim::Duration Cpu::lateness() {
  return random_.below(4) == 0 ? machine_.spec.scheduler.tick : sim::Duration::zero();
}

// The skipped balances would have found nothing to do: so the interval is at its longest, and the last
// balance is put on the core's own grid of ticks.
void Cpu::catch_up(Core& core, DomainLevel level) {
  Balancing& balancing = core.balancing[static_cast<std::size_t>(level)];
  if (core.idle() || engine_.now() < balancing.last + balance_interval(core, level)) return;
  const sim::Time before = std::max(balancing.last, core.busy_since);
  balancing.interval = 2 * std::max(1, domain_weight(core, level));
  const sim::Duration period = balance_interval(core, level);
  balancing.last = before + period * ((engine_.now() - before) / period);
}

void Cpu::finish_balance(Core& core, DomainLevel level, Outcome outcome) {
  std::int64_t& interval = core.balancing[static_cast<std::size_t>(level)].interval;
  const std::int64_t least = std::max(1, domain_weight(core, level));
  if (outcome == Outcome::moving || outcome == Outcome::failed) {
    interval = least;
  } else if (interval < (outcome == Outcome::pinned ? longest_pinned_interval_ms : 2 * least)) {
    interval *= 2;
  }
}

}  // namespace jostle::cpu
