// Load balance: statistics of the groups, whether and how much to move, and the choice of threads.
#include "models/cpu/balance.hpp"

#include <algorithm>
#include <optional>

namespace jostle::cpu {
namespace {

constexpr double imbalance_percent = 117;  // sd->imbalance_pct of the cluster and board levels
constexpr int cache_nice_tries = 1;        // failures after which even cache-hot threads are taken

enum class GroupType : std::uint8_t { has_spare, fully_busy, misfit, overloaded };

// A core, seen from its cluster; a cluster, seen from the board.
struct Group {
  int first = 0, size = 0;  // cores
  int weight = 0;           // online cores
  int running = 0;          // runnable threads
  int idle = 0;
  double load = 0;  // sum of their weights
  double capacity = 0;
  double misfit = 0;  // utilisation of the thread that fits its core least; 0 if all fit
  GroupType type = GroupType::has_spare;

  [[nodiscard]] double average_load() const { return load * 1024 / capacity; }
};

// A thread too big for its core, allowed on `here`: its utilisation, else 0.
double misfit_of(const Core& core, const Core& here, sim::Time now) {
  if (core.running == nullptr || core.running->request == Request::none || core.running->priority > 0)
    return 0;
  Thread& thread = *core.running;
  if (!thread.allowed.contains(here.index)) return 0;
  thread.utilisation.advance(now, core.capacity);
  return fits(thread.utilisation.value(), core.capacity) ? 0 : thread.utilisation.value();
}

Group summarise(const Machine& machine, int first, int size, const Core& here, sim::Time now) {
  Group group{.first = first, .size = size};
  for (int i = first; i < first + size; ++i) {
    const Core& core = machine.core(i);
    if (!core.online) continue;
    ++group.weight;
    group.running += core.runnable();
    group.idle += core.idle() ? 1 : 0;
    group.load += static_cast<double>(core.queue.weight());
    group.capacity += core.capacity;
    // A gain of less than 5 % in capacity is not worth a move (capacity_greater).
    if (machine.asymmetric && here.capacity * 1024 > core.capacity * 1078) {
      group.misfit = std::max(group.misfit, misfit_of(core, here, now));
    }
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

bool busier(const Group& a, const Group& b) {
  if (a.type != b.type) return a.type > b.type;
  switch (a.type) {
    case GroupType::misfit:
      return a.misfit > b.misfit;
    case GroupType::has_spare:
      return a.idle != b.idle ? a.idle < b.idle : a.running > b.running;
    case GroupType::fully_busy:
    case GroupType::overloaded:
      break;
  }
  return a.average_load() > b.average_load();
}

// How much to move: a number of threads, or a load.
struct Imbalance {
  bool by_load = false;
  std::int64_t amount = 0;
};

std::optional<Imbalance> verdict(const Group& local, const Group& busiest, double domain_average,
                                 DomainLevel level, Idleness idleness) {
  if (local.type > busiest.type) return {};
  if (local.type == GroupType::overloaded) {
    if (100 * busiest.average_load() <= imbalance_percent * local.average_load()) return {};
  } else if (busiest.type != GroupType::overloaded) {
    if (idleness == Idleness::busy) return {};
    if (busiest.weight > 1 && local.idle <= busiest.idle + 1) return {};
    if (busiest.running == 1) return {};
  }
  if (local.type == GroupType::has_spare) {
    if (level == DomainLevel::board && busiest.type == GroupType::overloaded) return Imbalance{false, 1};
    const int difference = busiest.weight == 1 ? busiest.running - local.running : local.idle - busiest.idle;
    if (difference < 2) return {};
    return Imbalance{false, difference / 2};
  }
  // The local group is busy too: it takes a thread only if it stays below the average of the domain.
  if (local.average_load() >= busiest.average_load() || local.average_load() >= domain_average) return {};
  const double surplus = (busiest.average_load() - domain_average) * busiest.capacity;
  const double room = (domain_average - local.average_load()) * local.capacity;
  return Imbalance{true, static_cast<std::int64_t>(std::min(surplus, room) / 1024)};
}

// can_migrate_task: allowed here, and its cache is cold or earlier attempts failed.
bool movable(const Machine& machine, const Core& here, const Thread& thread, int failed, sim::Time now) {
  if (!thread.allowed.contains(here.index)) return false;
  if (thread.container != nullptr && thread.container->on(here.index).throttled) return false;
  const bool hot = now - thread.left_core < machine.spec.scheduler.migration_cost && thread.placed;
  return !hot || failed > cache_nice_tries;
}

// find_busiest_queue: the core of the group with most threads (or load) that was not tried; null if none is
// left with a waiting thread.
const Core* busiest_core(const Machine& machine, const Group& group, bool by_load, const CpuSet& tried) {
  const Core* busiest = nullptr;
  for (int i = group.first; i < group.first + group.size; ++i) {
    const Core& core = machine.core(i);
    if (!core.online || tried.contains(i) || core.runnable() < 2) continue;
    const bool more =
        busiest == nullptr || (by_load ? static_cast<double>(core.queue.weight()) * busiest->capacity >
                                             static_cast<double>(busiest->queue.weight()) * core.capacity
                                       : core.queue.size() > busiest->queue.size());
    if (more) busiest = &core;
  }
  return busiest;
}

struct Attempt {
  int failed = 0;    // balances in a row before this one that moved nothing
  bool one = false;  // one thread is enough
  sim::Time now;
};

// detach_tasks: as much as is wanted, from one core of the busiest group.
std::vector<Thread*> choose(const Machine& machine, const Core& here, const Group& busiest, Imbalance wanted,
                            const Attempt& attempt) {
  std::vector<Thread*> chosen;
  CpuSet tried;
  while (chosen.empty()) {
    const Core* const from = busiest_core(machine, busiest, wanted.by_load, tried);
    if (from == nullptr) break;
    tried.add(from->index);
    std::int64_t left = wanted.amount;
    for (Entity* member : from->queue.members()) {
      auto& thread = static_cast<Thread&>(*member);
      if (&thread == from->running || !movable(machine, here, thread, attempt.failed, attempt.now)) continue;
      if (wanted.by_load && thread.weight >> std::min(attempt.failed, 10) > left) continue;
      chosen.push_back(&thread);
      left -= wanted.by_load ? thread.weight : 1;
      if (attempt.one || left <= 0) break;
    }
  }
  return chosen;
}

Thread* biggest_misfit(Machine& machine, const Core& here, const Group& group) {
  Thread* biggest = nullptr;
  for (int i = group.first; i < group.first + group.size; ++i) {
    const Core& core = machine.core(i);
    if (!core.online || core.running == nullptr || core.running->priority > 0 ||
        here.capacity * 1024 <= core.capacity * 1078)
      continue;
    Thread& thread = *core.running;
    if (!thread.allowed.contains(here.index) || fits(thread.utilisation.value(), core.capacity)) continue;
    if (biggest == nullptr || thread.utilisation.value() > biggest->utilisation.value()) biggest = &thread;
  }
  return biggest;
}

// should_we_balance: above the cluster, one core acts for its cluster, the first idle one or the first.
bool acts_for_group(const Machine& machine, const Core& here, DomainLevel level, Idleness idleness) {
  if (level == DomainLevel::cluster || idleness == Idleness::newly_idle) return true;
  const Cluster& cluster = machine.cluster_of(here);
  int first = -1;
  for (int i = cluster.first_core; i < cluster.first_core + cluster.cores; ++i) {
    if (!machine.core(i).online) continue;
    if (machine.core(i).idle()) return i == here.index;
    if (first < 0) first = i;
  }
  return first == here.index;
}

}  // namespace

Pull find_pull(Machine& machine, const Core& here, DomainLevel level, Idleness idleness, sim::Time now) {
  Pull pull;
  if (!acts_for_group(machine, here, level, idleness)) return pull;

  // The groups of the domain, from the local one round.
  const bool board = level == DomainLevel::board;
  const int groups = board ? static_cast<int>(machine.clusters.size()) : machine.cluster_of(here).cores;
  const int first = machine.domain_first(here, level);
  const int own = board ? here.cluster : here.index - first;
  Group local;
  std::optional<Group> busiest;
  double total_load = 0;
  double total_capacity = 0;
  for (int step = 0; step < groups; ++step) {
    const int g = own + step < groups ? own + step : own + step - groups;
    // An idle core compares no loads: in its cluster it takes from who has a waiting thread, or not at all.
    if (!board && step > 0 && here.idle() && machine.core(first + g).runnable() < 2) continue;
    const auto& cluster = machine.clusters[static_cast<std::size_t>(board ? g : here.cluster)];
    const Group group = board ? summarise(machine, cluster.first_core, cluster.cores, here, now)
                              : summarise(machine, first + g, 1, here, now);
    if (group.weight == 0) continue;
    total_load += group.load;
    total_capacity += group.capacity;
    if (step == 0) {
      local = group;
    } else if (group.running > 0 &&
               !(group.type == GroupType::misfit && local.type != GroupType::has_spare) &&
               (!busiest || busier(group, *busiest))) {
      busiest = group;
    }
  }
  if (!busiest) return pull;

  if (busiest->type == GroupType::misfit) {
    if (idleness == Idleness::busy || !here.idle()) return pull;
    pull.misfit = biggest_misfit(machine, here, *busiest);
    pull.wanted = pull.misfit != nullptr;
    return pull;
  }
  const auto wanted = verdict(local, *busiest, total_load * 1024 / total_capacity, level, idleness);
  if (!wanted) return pull;
  pull.wanted = true;
  const int failed = here.failed_balances[static_cast<std::size_t>(level)];
  pull.threads = choose(machine, here, *busiest, *wanted,
                        {.failed = failed, .one = idleness == Idleness::newly_idle, .now = now});
  return pull;
}

}  // namespace jostle::cpu
