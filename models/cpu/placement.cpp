// Placement of new and woken threads; follows kernel/sched/fair.c (select_task_rq_fair and its callees).
#include "models/cpu/placement.hpp"

#include <algorithm>

namespace jostle::cpu {
namespace {

double relative_load(const Machine& machine, const Core& core, sim::Time now) {
  return load_of(machine, core, now) / core.capacity;
}

// The state of a cluster for a thread that may use only some of its cores.
struct ClusterView {
  int idle = 0;
  int usable = 0;
  double load = 0;

  [[nodiscard]] bool better_than(const ClusterView& other) const {
    if (idle != other.idle) return idle > other.idle;
    return load / usable < other.load / other.usable;
  }
};

ClusterView view(const Machine& machine, const Cluster& cluster, const Thread& thread, sim::Time now) {
  ClusterView seen;
  for (const Core& core : machine.cores_of(cluster)) {
    if (!thread.allowed.contains(core.index)) continue;
    ++seen.usable;
    seen.idle += core.idle() ? 1 : 0;
    seen.load += relative_load(machine, core, now);
  }
  return seen;
}

int idlest_in(const Machine& machine, const Cluster& cluster, const Thread& thread, sim::Time now) {
  int best = -1;
  double least = 0;
  for (const Core& core : machine.cores_of(cluster)) {
    if (!thread.allowed.contains(core.index)) continue;
    if (core.idle()) return core.index;
    const double load = relative_load(machine, core, now);
    if (best >= 0 && load >= least) continue;
    best = core.index;
    least = load;
  }
  return best;
}

// wake_affine: the core around which to search, the waker's or the previous one.
int affine_target(const Machine& machine, const Thread& thread, int waker, sim::Time now) {
  const int previous = thread.core;
  if (waker < 0 || waker == previous || !thread.allowed.contains(waker)) return previous;
  const Core& from = machine.core(waker);
  const Core& old = machine.core(previous);
  if (from.idle() && from.cluster == old.cluster) return old.idle() ? previous : waker;
  if (old.idle()) return previous;
  // wake_affine_weight compares the loads of both cores with the thread on the waker's core. The bias is half
  // of imbalance_pct.
  const double load = load_of(thread, now);
  const bool counted = machine.kernel().counts_blocked_load;  // the old core's load includes the thread's
  const double there = (load_of(machine, from, now) + load) / from.capacity;
  const double here = (load_of(machine, old, now) - (counted ? load : 0)) / old.capacity;
  return there < here * 1.08 ? waker : previous;
}

// select_idle_sibling for clusters whose cores are alike.
int idle_sibling(const Machine& machine, const Thread& thread, int target) {
  if (machine.core(target).idle()) return target;
  const Core& previous = machine.core(thread.core);
  const Core& centre = machine.core(target);
  if (previous.idle() && previous.cluster == centre.cluster) return thread.core;
  const Cluster& cluster = machine.cluster_of(centre);
  for (int step = 1; step < cluster.cores; ++step) {
    const int i = cluster.first_core + (target - cluster.first_core + step) % cluster.cores;
    if (thread.allowed.contains(i) && machine.core(i).idle()) return i;
  }
  return target;
}

// select_idle_capacity: from the target on, the first idle core that fits; else the largest idle core.
int idle_capacity(const Machine& machine, const Thread& thread, int target, double utilisation) {
  int best = -1;
  const auto count = static_cast<int>(machine.cores.size());
  for (int step = 0; step < count; ++step) {
    const int i = (target + step) % count;
    if (!thread.allowed.contains(i) || !machine.core(i).idle()) continue;
    const double capacity = machine.core(i).capacity;
    if (fits(utilisation, capacity)) return i;
    if (best < 0 || capacity > machine.core(best).capacity) best = i;
  }
  return best;
}

}  // namespace

int place_new(const Machine& machine, const Thread& thread, sim::Time now) {
  if (thread.start_on >= 0) return thread.start_on;
  const Cluster* best = nullptr;
  ClusterView best_view;
  for (const Cluster& cluster : machine.clusters) {
    const ClusterView seen = view(machine, cluster, thread, now);
    if (seen.usable == 0) continue;
    if (best == nullptr || seen.better_than(best_view)) {
      best = &cluster;
      best_view = seen;
    }
  }
  return idlest_in(machine, *best, thread, now);
}

int place_woken(const Machine& machine, Thread& thread, int waker, sim::Time now) {
  const int target = affine_target(machine, thread, waker, now);
  if (machine.asymmetric) {
    thread.utilisation.advance(now, 0);
    const double utilisation = std::max(thread.utilisation.value(), thread.estimate);
    const int fitting = idle_capacity(machine, thread, target, utilisation);
    if (fitting >= 0) return fitting;
    // No core is idle: takes a busy core that is large enough.
    if (fits(utilisation, machine.core(target).capacity)) return target;
    int largest = target;
    for (const Core& core : machine.cores) {
      if (thread.allowed.contains(core.index) && core.capacity > machine.core(largest).capacity)
        largest = core.index;
    }
    return largest;
  }
  return idle_sibling(machine, thread, target);
}

}  // namespace jostle::cpu
