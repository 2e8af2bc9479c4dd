// The load of threads and cores (PELT), updated when threads wake, sleep and move, and decayed when it is
// read.
#include <algorithm>
#include <cmath>

#include "models/cpu/cpu.hpp"

namespace jostle::cpu {
namespace {

bool is_runnable(const Thread& thread) {
  return thread.state != State::sleeping;
}

// The kernel's loads are whole numbers, so that nearly equal ones compare equal.
double whole(double load) {
  return std::floor(load + 0.5);
}

}  // namespace

void load_changes(Core& core, sim::Time now) {
  core.load.advance(now, static_cast<double>(core.queue.weight()));
}

double load_of(const Thread& thread, sim::Time now) {
  return whole(static_cast<double>(thread.weight) * thread.runnable.at(now, is_runnable(thread) ? 1 : 0));
}

double load_of(const Machine& machine, const Core& core, sim::Time now) {
  if (machine.kernel().counts_blocked_load)
    return whole(core.load.at(now, static_cast<double>(core.queue.weight())));
  double load = 0;
  for (const Entity* member : core.queue.members()) load += load_of(static_cast<const Thread&>(*member), now);
  return load;
}

void load_wakes(Core& core, Thread& thread, sim::Time now) {
  load_changes(core, now);
  thread.runnable.advance(now, 0);
  if (thread.cpu->machine().tracks_utilisation) thread.utilisation.advance(now, 0);
  core.estimate += thread.estimate;
  core.most_estimate = std::max(core.most_estimate, core.estimate);
}

void load_sleeps(Core& core, Thread& thread, sim::Time now) {
  load_changes(core, now);
  thread.runnable.advance(now, 1);
  core.estimate = std::max(0.0, core.estimate - thread.estimate);
  if (!thread.cpu->machine().kernel().estimates_utilisation) return;
  // util_est_update: follows a rise at once, and a fall by a quarter each time.
  const double used = thread.utilisation.value();
  const double average = thread.average_estimate;
  thread.average_estimate = used > average ? used : average + (used - average) / 4;
  thread.estimate = std::max(used, thread.average_estimate);
}

// A new thread counts as always runnable (init_entity_runnable_average).
void load_is_new(Core& core, Thread& thread, sim::Time now) {
  load_changes(core, now);
  thread.runnable.reset(now, 1);
  core.load.add(static_cast<double>(thread.weight));
}

void load_reweighs(Core& core, const Thread& thread, std::int64_t weight, sim::Time now) {
  load_changes(core, now);
  const double share = thread.runnable.at(now, is_runnable(thread) ? 1 : 0);
  core.load.add(share * static_cast<double>(weight - thread.weight));
}

void load_moves(Core& from, Core& to, const Thread& thread, sim::Time now) {
  load_changes(from, now);
  load_changes(to, now);
  const double load = load_of(thread, now);
  from.load.add(-load);
  to.load.add(load);
  if (!is_runnable(thread)) return;
  from.estimate = std::max(0.0, from.estimate - thread.estimate);
  to.estimate += thread.estimate;
  to.most_estimate = std::max(to.most_estimate, to.estimate);
}

}  // namespace jostle::cpu
