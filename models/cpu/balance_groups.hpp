// Groups of cores as the load balance compares them: a core, seen from its cluster; a cluster, seen from the
// board.
#pragma once

#include "models/cpu/machine.hpp"

namespace jostle::cpu {

enum class GroupType : std::uint8_t { has_spare, fully_busy, misfit, overloaded };

// After struct sg_lb_stats of kernel/sched/fair.c.
struct Group {
  int first = 0, size = 0;  // cores
  int weight = 0;           // online cores
  int running = 0;          // runnable threads
  int idle = 0;
  double load = 0;
  double capacity = 0;  // of 1024 a core
  double misfit = 0;    // utilisation of the thread that fits its core least; 0 if all fit
  GroupType type = GroupType::has_spare;

  [[nodiscard]] double average_load() const { return load * 1024 / capacity; }
  [[nodiscard]] double load_per_thread() const { return running == 0 ? 0 : load / running; }
};

// A gain of less than 5 % in capacity is not worth a move (capacity_greater).
[[nodiscard]] inline bool capacity_greater(const Core& a, const Core& b) {
  return a.capacity * 1024 > b.capacity * 1078;
}

// The group of `size` cores from `first` on, as `here` sees it; cores in `excluded` count for nothing but the
// group's size.
[[nodiscard]] Group summarise(const Machine& machine, Group cores, const Core& here, const CpuSet& excluded,
                              sim::Time now);

// Whether `a` is the one to take from rather than `b` (update_sd_pick_busiest).
[[nodiscard]] bool busier(const KernelVersion& kernel, const Group& a, const Group& b);

// How much to move: a number of threads, or a load. Nothing: `amount` 0.
struct Imbalance {
  bool by_load = false;
  double amount = 0;
};

struct Comparison {
  Group local = {}, busiest = {};
  double average = 0;  // load of the domain's cores by their capacity
  DomainLevel level = DomainLevel::cluster;
  Idleness idleness = Idleness::busy;
  bool asymmetric = false;
};

// find_busiest_group and calculate_imbalance.
[[nodiscard]] Imbalance imbalance(const KernelVersion& kernel, const Comparison& seen);

}  // namespace jostle::cpu
