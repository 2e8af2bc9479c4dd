// The parameters of a host CPU: clusters of cores, the kernel's scheduling policy and the costs of switching.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/cpu/policy.hpp"
#include "sim/time.hpp"

namespace jostle::cpu {

// Cores that share a clock (cpufreq domain) and the last-level cache (scheduling domain).
struct ClusterSpec {
  std::string name = {};
  int cores = 0;
  int capacity = 1024;  // at the cluster's maximum clock; 1024 = the fastest core of the board
  double max_clock_hz = 0;
  std::vector<double> clock_table_hz = {};  // ascending; empty: any clock up to the maximum
  double cache_bytes = 0;                   // private to a core: a migrated thread must refill it
  double shared_cache_bytes = 0;            // last level, shared by the cluster
  bool isolated = false;  // isolcpus: threads come only by affinity, and stay on the core they are put on
  std::vector<int> kernel_cpus = {};  // the kernel's numbers of its cores; empty: the same as here
};

struct CostSpec {
  sim::Duration context_switch = {};  // direct cost of a switch on a core
  // Cache debt: extra execution time that a thread owes after its cached state was lost. These are upper
  // limits, scaled by min(1, working set / cache).
  sim::Duration preempted = {};  // away from its core while others ran, all of the cache replaced
  // Away while others ran, however shortly: the caches next to the core, its translations and its predictions
  // of branches are lost at once. At most `preempted`.
  sim::Duration preempted_least = {};
  sim::Duration preempted_time_constant = {};  // share of the rest lost after time t away: 1 - exp(-t / this)
  sim::Duration migrated_within = {};          // moved inside a cluster
  sim::Duration migrated_across = {};          // moved to another cluster
  double speed_while_refilling = 0.5;  // progress per unit time while a debt is being paid (0 < x < 1)
};

// The debt of a thread of a large program after others ran on its core, where that was measured as a whole:
// code, translations and predictions of branches beside its data. It stands in place of `preempted` and its
// time constant, and a migration costs no less than all of it.
struct ReturnLoss {
  sim::Duration whole;          // after all is lost
  sim::Duration time_constant;  // share lost after others ran for t: 1 - exp(-t / this)
};

// A deep idle state (cpuidle): the core's power is cut.
struct IdleState {
  sim::Duration residency;     // a core that idles at least this long is in it: the governor predicts that
  sim::Duration exit_latency;  // time until the thread that woke the core runs
};

// The two speeds of a core, between which it changes at random, each core by itself: somebody else's thread
// runs on the other hardware thread of it, or none. Virtual machines on shared hosts have them.
struct TwoSpeeds {
  double factor = 1;   // time for the same work at the slow speed, over that at the quick one
  double weight = 0;   // share of the time at the slow speed
  sim::Duration slow;  // mean time at the slow speed; the times are drawn from exponential distributions
  // Speed over the mean speed, for which costs are given.
  [[nodiscard]] double pace(bool is_slow) const {
    return (is_slow ? 1 / factor : 1) / (1 - weight + weight / factor);
  }
  [[nodiscard]] sim::Duration mean_time(bool is_slow) const {
    return is_slow ? slow : sim::time_for(sim::work_in(slow, 1 - weight), weight);
  }
};

struct Spec {
  std::vector<ClusterSpec> clusters;  // cores are numbered through the clusters in this order
  SchedulerSpec scheduler;
  CostSpec costs;
  std::optional<IdleState> idle_state = {};  // none: leaving idleness takes no time
  std::optional<TwoSpeeds> two_speeds = {};  // none: a core keeps its speed
  double reference_clock_hz = 0;   // launch costs are given at this clock on a core of capacity 1024
  double what_if = 1;              // speed of the cores at every clock, for what-if questions
  std::vector<int> isolated = {};  // isolcpus: cores that are as those of isolated clusters
  // Cores of cpuset partitions: threads come only by affinity, and balance there.
  std::vector<int> partitioned = {};
};

}  // namespace jostle::cpu
