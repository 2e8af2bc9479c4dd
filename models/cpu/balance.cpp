#include "models/cpu/balance.hpp"

#include <algorithm>
#include <vector>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {
namespace {

// The result of a balance.
enum class Outcome : std::uint8_t {
  balanced,  // nothing to do
  pinned,    // other cores have too much, but none of their threads may run here
  failed,    // other cores have too much, but none of their threads is movable now
  moving,    // threads to take over
};

struct Pull {
  Outcome outcome = Outcome::balanced;
  std::vector<Thread*> threads = {};  // they wait elsewhere and are allowed here
  Thread* running = nullptr;          // moved here although it runs (misfit, or active balance)
};

struct Attempt {
  Machine& machine;
  const Core& here;
  DomainLevel level;
  Idleness idleness;
  sim::Time now;
  int failed = 0;        // balances in a row before this one that moved nothing
  CpuSet excluded = {};  // cores all of whose threads are pinned elsewhere
};

// task_hot: a thread that ran or was moved a moment ago is not movable. Several cores may balance on the same
// tick, so a thread that one of them has just taken is not moved on at the same instant.
bool movable(const Attempt& attempt, const Core& from, const Thread& thread) {
  if (thread.moved_at == attempt.now) return false;
  if (thread.container != nullptr && thread.container->on(attempt.here.index).throttled) return false;
  if (attempt.failed > cache_nice_tries) return true;
  if (!attempt.here.idle() && from.queue.is_buddy(thread)) return false;
  if (!thread.placed) return true;
  const sim::Duration since = attempt.now - std::max(thread.left_core, thread.moved_at);
  return since >= attempt.machine.spec.scheduler.cache_hot_for;
}

// find_busiest_queue: the core of the group with the most threads (or load); null if none has a thread to
// give.
const Core* busiest_core(const Attempt& attempt, const Group& group, const Imbalance& wanted) {
  const Core* busiest = nullptr;
  double most = 0;
  for (const Core& core : group.cores) {
    if (!core.balanced || attempt.excluded.contains(core.index) || core.queue.size() == 0) continue;
    const double load = wanted.by_load ? load_of(attempt.machine, core, attempt.now) : core.queue.size();
    if (wanted.by_load && core.queue.size() == 1 && load > wanted.amount) continue;
    const double relative = wanted.by_load ? load / core.capacity : load;
    if (busiest != nullptr && relative <= most) continue;
    busiest = &core;
    most = relative;
  }
  return busiest;
}

// The load that moving a thread counts for: halved with each failed balance. Kernels before 5.5: always half.
double load_to_move(const Attempt& attempt, const Thread& thread) {
  const double load = load_of(thread, attempt.now);
  return attempt.machine.kernel().by_group_type
             ? load / static_cast<double>(std::int64_t{1} << std::min(attempt.failed, 10))
             : load / 2;
}

// detach_tasks: threads of one core, up to the wanted amount.
Pull detach(const Attempt& attempt, const Core& from, const Imbalance& wanted) {
  Pull pull{.outcome = Outcome::pinned};
  double left = wanted.amount;
  for (Entity* member : from.queue.members()) {
    auto& thread = static_cast<Thread&>(*member);
    if (!thread.allowed.contains(attempt.here.index)) continue;
    if (pull.outcome == Outcome::pinned) pull.outcome = Outcome::failed;
    if (&thread == from.running || !movable(attempt, from, thread)) continue;
    if (wanted.by_load && load_to_move(attempt, thread) > left) continue;
    pull.threads.push_back(&thread);
    pull.outcome = Outcome::moving;
    left -= wanted.by_load ? load_of(thread, attempt.now) : 1;
    const int stay = from.runnable() - static_cast<int>(pull.threads.size());
    if (attempt.idleness == Idleness::newly_idle || left <= 0) break;
    if (attempt.idleness != Idleness::busy && stay <= 1) break;
  }
  return pull;
}

// need_active_balance and active_load_balance_cpu_stop: after enough failed balances the thread that runs on
// `from` is interrupted and pushed here.
Thread* pushed(const Attempt& attempt, const Core& from, const Imbalance& wanted) {
  if (attempt.idleness == Idleness::newly_idle || from.running == nullptr) return nullptr;
  if (from.running->priority > 0) return nullptr;
  if (attempt.machine.kernel().by_group_type && wanted.by_load) return nullptr;
  if (attempt.failed + 1 <= cache_nice_tries + 2) return nullptr;
  Thread& thread = *from.running;
  const bool may = thread.allowed.contains(attempt.here.index) && thread.moved_at != attempt.now;
  return may ? &thread : nullptr;
}

Thread* biggest_misfit(const Attempt& attempt, const Group& group) {
  Thread* biggest = nullptr;
  double most = 0;
  for (const Core& core : group.cores) {
    if (!core.balanced || core.running == nullptr || !capacity_greater(attempt.here, core)) continue;
    if (core.running->priority > 0) continue;
    Thread& thread = *core.running;
    const double utilisation = thread.utilisation.at(attempt.now, core.speed);
    if (!thread.allowed.contains(attempt.here.index) || fits(utilisation, core.capacity)) continue;
    if (utilisation <= most) continue;
    biggest = &thread;
    most = utilisation;
  }
  return biggest;
}

// should_we_balance: above the cluster level one core acts for its cluster: the first idle core, else the
// first.
bool acts_for_group(const Attempt& attempt) {
  if (attempt.level == DomainLevel::cluster || attempt.idleness == Idleness::newly_idle) return true;
  const Core* first = nullptr;
  for (const Core& core : attempt.machine.cores_of(attempt.machine.cluster_of(attempt.here))) {
    if (!core.balanced) continue;
    if (core.idle()) return &core == &attempt.here;
    if (first == nullptr) first = &core;
  }
  return first == &attempt.here;
}

// Finds the local group and the busiest of the others; false if no other is busy. The scan starts at the
// local group and wraps around.
bool compare(const Attempt& attempt, Comparison& seen) {
  const Machine& machine = attempt.machine;
  const bool board = attempt.level == DomainLevel::board;
  const Cluster& cluster = machine.cluster_of(attempt.here);
  const int groups = board ? static_cast<int>(machine.clusters.size()) : cluster.cores;
  const int own = board ? attempt.here.cluster : attempt.here.index - cluster.first_core;
  bool found = false;
  double load = 0, capacity = 0;
  for (int step = 0; step < groups; ++step) {
    const auto g = static_cast<std::size_t>(own + step < groups ? own + step : own + step - groups);
    const std::span<const Core> cores =
        board ? machine.cores_of(machine.clusters[g]) : machine.cores_of(cluster).subspan(g, 1);
    const Group group = summarise(machine, cores, attempt.here, attempt.excluded, attempt.now);
    if (group.weight == 0) continue;
    load += group.load;
    capacity += group.capacity;
    if (step == 0) {
      seen.local = group;
    } else if (group.running > 0 &&
               !(group.type == GroupType::misfit && seen.local.type != GroupType::has_spare) &&
               (!found || busier(machine.kernel(), group, seen.busiest))) {
      seen.busiest = group;
      found = true;
    }
  }
  seen.average = capacity > 0 ? load * 1024 / capacity : 0;
  return found;
}

// The threads that `here` should take, seen at one domain level. Follows load_balance of kernel/sched/fair.c
// and its callees, by the rules of the machine's kernel (kernel_version.hpp).
//
// The balance compares loads with the average over all online cores of the domain, which includes idle cores
// outside the threads' affinity masks. So where the kernel lets no core above that average pull, threads
// confined to a few cores stay as unevenly spread as they were placed (measured on the H200 host: 1 + 1 + 6
// for a whole run).
Pull find_pull(Machine& machine, const Core& here, DomainLevel level, Idleness idleness, sim::Time now) {
  Attempt attempt{.machine = machine, .here = here, .level = level, .idleness = idleness, .now = now};
  attempt.failed = here.balancing[static_cast<std::size_t>(level)].failed;
  if (!acts_for_group(attempt)) return {};
  Pull nothing;
  while (true) {
    Comparison seen{.level = level, .idleness = idleness, .asymmetric = machine.asymmetric};
    if (!compare(attempt, seen)) return nothing;
    if (seen.busiest.type == GroupType::misfit) {
      if (idleness == Idleness::busy || !here.idle()) return nothing;
      Thread* const misfit = biggest_misfit(attempt, seen.busiest);
      return misfit == nullptr ? nothing : Pull{.outcome = Outcome::moving, .running = misfit};
    }
    const Imbalance wanted = imbalance(machine.kernel(), seen);
    if (wanted.amount <= 0) return nothing;
    const Core* const from = busiest_core(attempt, seen.busiest, wanted);
    if (from == nullptr) return nothing;
    Pull pull{.outcome = Outcome::failed};
    if (from->runnable() > 1) pull = detach(attempt, *from, wanted);
    if (pull.outcome == Outcome::pinned) {  // the balance ignores that core
      attempt.excluded.add(from->index);
      nothing.outcome = Outcome::pinned;
      continue;
    }
    if (pull.outcome == Outcome::failed) {
      pull.running = pushed(attempt, *from, wanted);
      if (pull.running != nullptr) pull.outcome = Outcome::moving;
    }
    return pull;
  }
}

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
