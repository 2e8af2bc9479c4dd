// Statistics of groups, and the comparison of two groups: by type since Linux 5.5, by load before.
#include "models/cpu/balance_groups.hpp"

#include <algorithm>

namespace jostle::cpu {
namespace {

// The utilisation of the core's running thread if that is too big for its core and allowed on `here`, else 0.
double misfit_of(const Core& core, const Core& here, sim::Time now) {
  if (core.running == nullptr || core.running->request == Request::none || core.running->priority > 0)
    return 0;
  const Thread& thread = *core.running;
  if (!thread.allowed.contains(here.index)) return 0;
  const double utilisation = thread.utilisation.at(now, core.speed);
  return fits(utilisation, core.capacity) ? 0 : utilisation;
}

int percent(const KernelVersion& kernel, DomainLevel level) {
  return level == DomainLevel::board ? kernel.board_imbalance_percent : cluster_imbalance_percent;
}

// The load that brings both groups towards the average of the domain.
double load_to_average(const Comparison& seen, double most) {
  const double surplus = std::min(seen.busiest.average_load() - seen.average, most) * seen.busiest.capacity;
  const double room = (seen.average - seen.local.average_load()) * seen.local.capacity;
  return std::min(surplus, room) / 1024;
}

// fix_small_imbalance: the load of a whole thread if moving it leaves the groups no more unequal than they
// are.
double small_imbalance(const Comparison& seen, double otherwise) {
  const Group& local = seen.local;
  const Group& busiest = seen.busiest;
  const double thread = busiest.load_per_thread();
  const double scaled = thread * 1024 / busiest.capacity;
  const bool lighter = local.running > 0 && thread > local.load_per_thread();
  const bool worth_it = busiest.average_load() + scaled >= local.average_load() + scaled * (lighter ? 1 : 2);
  return worth_it ? thread : otherwise;
}

// The rule of kernels before 5.5.
Imbalance by_load_alone(const KernelVersion& kernel, const Comparison& seen) {
  const Group& local = seen.local;
  const Group& busiest = seen.busiest;
  const bool overloaded = busiest.type == GroupType::overloaded;
  const bool above = local.average_load() >= seen.average || busiest.average_load() <= seen.average;
  if (seen.idleness != Idleness::busy && local.type == GroupType::has_spare && overloaded) {
    if (above) return {true, busiest.load_per_thread()};
  } else {
    if (above || local.average_load() >= busiest.average_load()) return {};
    if (seen.idleness == Idleness::idle) {
      if (!overloaded && local.idle <= busiest.idle + 1) return {};
    } else if (100 * busiest.average_load() <= percent(kernel, seen.level) * local.average_load()) {
      return {};
    }
  }
  double most = std::numeric_limits<double>::infinity();
  if (overloaded && local.type == GroupType::overloaded && 1024.0 * busiest.running > busiest.capacity)
    most = (1024.0 * busiest.running - busiest.capacity) * 1024 / busiest.capacity;
  const double amount = load_to_average(seen, most);
  return {true, amount < busiest.load_per_thread() ? small_imbalance(seen, amount) : amount};
}

// The local group has spare capacity: the imbalance is a number of threads.
Imbalance into_spare(const Comparison& seen, bool spread) {
  const Group& local = seen.local;
  const Group& busiest = seen.busiest;
  // migrate_util: as many threads as fit into the spare capacity, each counted as filling a core.
  if (seen.level == DomainLevel::board && busiest.type == GroupType::overloaded)
    return {false, static_cast<double>(std::max(1, local.weight - local.running))};
  const int difference =
      busiest.weight == 1 || spread ? busiest.running - local.running : local.idle - busiest.idle;
  return {false, static_cast<double>(std::max(0, difference / 2))};
}

}  // namespace

Group summarise(const Machine& machine, std::span<const Core> cores, const Core& here, const CpuSet& excluded,
                sim::Time now) {
  Group group{.cores = cores};
  for (const Core& core : cores) {
    if (!core.balanced) continue;
    ++group.weight;
    group.capacity += core.capacity;
    if (excluded.contains(core.index)) continue;
    group.running += core.runnable();
    group.idle += core.idle() ? 1 : 0;
    group.load += load_of(machine, core, now);
    if (machine.asymmetric && capacity_greater(here, core))
      group.misfit = std::max(group.misfit, misfit_of(core, here, now));
  }
  if (group.running > group.weight) {
    group.type = GroupType::overloaded;
  } else if (group.misfit > 0) {
    group.type = GroupType::misfit;
  } else if (group.running == group.weight) {
    group.type = GroupType::fully_busy;
  }
  return group;
}

bool busier(const KernelVersion& kernel, const Group& a, const Group& b) {
  if (!kernel.by_group_type && (a.type == GroupType::overloaded) == (b.type == GroupType::overloaded))
    return a.average_load() > b.average_load();
  if (a.type != b.type) return a.type > b.type;
  switch (a.type) {
    case GroupType::misfit:
      return a.misfit > b.misfit;
    case GroupType::has_spare:
      return a.idle != b.idle ? a.idle < b.idle : a.running > b.running;
    case GroupType::fully_busy:  // avg_load is not computed for these groups: the first one stays
      return false;
    case GroupType::overloaded:
      break;
  }
  return a.average_load() > b.average_load();
}

Imbalance imbalance(const KernelVersion& kernel, const Comparison& seen) {
  if (!kernel.by_group_type) return by_load_alone(kernel, seen);
  const Group& local = seen.local;
  const Group& busiest = seen.busiest;
  const bool above_average = local.average_load() >= seen.average;
  if (local.type > busiest.type) return {};
  if (local.type == GroupType::overloaded) {
    if (above_average || 100 * busiest.average_load() <= percent(kernel, seen.level) * local.average_load())
      return {};
  }
  const bool spread = seen.level == DomainLevel::board && kernel.spreads_over_clusters && !seen.asymmetric;
  const bool uneven = spread && local.type == GroupType::has_spare && busiest.running > local.running + 1;
  if (!uneven && busiest.type != GroupType::overloaded) {
    if (seen.idleness == Idleness::busy) return {};
    if (busiest.weight > 1 && local.idle <= busiest.idle + 1) return {};
    if (busiest.running == 1) return {};
  }
  if (local.type == GroupType::has_spare) return into_spare(seen, spread);
  // The local group is busy too, and the threads that it takes make it overloaded.
  if (local.average_load() >= busiest.average_load()) return {};
  if (above_average) {
    if (!kernel.pulls_above_average) return {};
    return {true, (busiest.average_load() - seen.average) * busiest.capacity / 1024};
  }
  return {true, load_to_average(seen, std::numeric_limits<double>::infinity())};
}

}  // namespace jostle::cpu
