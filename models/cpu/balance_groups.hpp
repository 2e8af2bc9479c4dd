// Groups of cores as the load balance compares them: single cores within a cluster; clusters within the
// board.
#pragma once

#include "models/cpu/machine.hpp"

namespace jostle::cpu {

// The reason for a balance: the tick of a busy or idle core, or a core that has just run out of work.
enum class Idleness : std::uint8_t { busy, idle, newly_idle };

enum class GroupType : std::uint8_t { has_spare, fully_busy, misfit, overloaded };

// A group and its statistics, after struct sg_lb_stats of kernel/sched/fair.c.
struct Group {
  std::span<const Core> cores = {};
  int weight = 0;   // online cores
  int running = 0;  // runnable threads
  int idle = 0;
  double load = 0;
  double capacity = 0;  // sum over the online cores, 1024 each at most
  double misfit = 0;    // utilisation of the thread that fits its core least; 0 if all fit
  GroupType type = GroupType::has_spare;

  [[nodiscard]] double average_load() const { return load * 1024 / capacity; }
  [[nodiscard]] double load_per_thread() const { return running == 0 ? 0 : load / running; }
};

// A gain of less than 5 % in capacity is not worth a move (capacity_greater).
[[nodiscard]] inline bool capacity_greater(const Core& a, const Core& b) {
  return a.capacity * 1024 > b.capacity * 1078;
}

// The statistics of the group of these cores, as `here` sees it. Cores in `excluded` count only towards the
// group's size and capacity.
[[nodiscard]] Group summarise(const Machine& machine, std::span<const Core> cores, const Core& here,
                              const CpuSet& excluded, sim::Time now);

// True if `a` is a better group to take threads from than `b` (update_sd_pick_busiest).
[[nodiscard]] bool busier(const KernelVersion& kernel, const Group& a, const Group& b);

// The amount to move: a number of threads, or a load. `amount` 0: nothing.
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

// The imbalance between the two groups (find_busiest_group and calculate_imbalance).
[[nodiscard]] Imbalance imbalance(const KernelVersion& kernel, const Comparison& seen);

}  // namespace jostle::cpu
