// The choice of the load balance: the busiest group, its busiest core, and threads of that.
#include "models/cpu/balance_pull.hpp"

#include <algorithm>

namespace jostle::cpu {
namespace {

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

}  // namespace

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

}  // namespace jostle::cpu
