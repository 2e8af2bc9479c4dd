// The completely fair scheduler (Linux 4.9 to 6.5): least virtual runtime first, slices by weight, sleepers
// credited half a latency period. After kernel/sched/fair.c, with buddies and group scheduling left out.
#include <algorithm>

#include "models/cpu/run_queue.hpp"

namespace jostle::cpu::cfs {
namespace {

constexpr std::int64_t threads_per_latency = 8;  // sched_nr_latency

// The share of a period that `entity` gets when `count` threads of total weight `weight` share the core.
std::int64_t slice(const Tunables& tunables, std::int64_t weight, std::size_t count, const Entity& entity) {
  const auto n = static_cast<std::int64_t>(count);
  const std::int64_t period = n > threads_per_latency ? n * tunables.min_granularity : tunables.latency;
  return std::max(period / weight * entity.weight, tunables.min_granularity);
}

// The waiting entity of least vruntime, the first that came of equals; null if none. `useful`: pollers
// excluded.
Entity* leftmost_waiting(const QueueState& queue, bool useful) {
  Entity* best = nullptr;
  for (Entity* member : queue.members) {
    if (member == queue.current || (useful && member->polite)) continue;
    if (best == nullptr || member->vruntime < best->vruntime) best = member;
  }
  return best;
}

}  // namespace

void enqueue_new(QueueState& queue, Entity& entity) {
  advance_minimum(queue);
  // START_DEBIT: a new thread waits for one slice, so that forking earns nothing.
  const std::int64_t first =
      slice(queue.tunables, queue.weight + entity.weight, queue.members.size() + 1, entity);
  entity.vruntime = queue.min_vruntime + virtual_time(first, entity.weight);
}

void enqueue_woken(QueueState& queue, Entity& entity) {
  // GENTLE_FAIR_SLEEPERS: at most half a latency of credit for having slept.
  entity.vruntime = std::max(entity.vruntime, queue.min_vruntime - queue.tunables.latency / 2);
}

void advance_minimum(QueueState& queue) {
  if (queue.members.empty()) return;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Entity* member : queue.members) least = std::min(least, member->vruntime);
  queue.min_vruntime = std::max(queue.min_vruntime, least);
}

Entity* best(const QueueState& queue) {
  Entity* const left = leftmost_waiting(queue, false);
  Entity* const running = queue.current;
  if (left == nullptr) return running;
  return running != nullptr && running->vruntime < left->vruntime ? running : left;
}

std::int64_t until_preempted(const QueueState& queue) {
  const Entity& running = *queue.current;
  const Entity& left = *leftmost_waiting(queue, false);
  const std::int64_t ideal = slice(queue.tunables, queue.weight, queue.members.size(), running);
  const std::int64_t ran = running.executed - running.executed_at_pick;
  // Its slice is over, and it is no longer the one furthest behind (else the tick would choose it again) ...
  const std::int64_t slice_end =
      std::max(ideal + 1 - ran, execution_for(left.vruntime - running.vruntime, running.weight));
  // ... or it has run its least and is a whole slice ahead of another.
  const std::int64_t too_far =
      std::max(queue.tunables.min_granularity - ran,
               execution_for(left.vruntime + ideal + 1 - running.vruntime, running.weight));
  return std::max<std::int64_t>(0, std::min(slice_end, too_far));
}

bool preempts(const QueueState& queue, const Entity& woken) {
  const std::int64_t behind = queue.current->vruntime - woken.vruntime;
  return behind > virtual_time(queue.tunables.wakeup_granularity, woken.weight);
}

std::int64_t until_yield_succeeds(const QueueState& queue) {
  const Entity* const other = leftmost_waiting(queue, true);
  if (other == nullptr) return forever;
  // A yield is refused while the other is more than a wake-up granularity further on (pick_next_entity,
  // skip).
  const std::int64_t allowed = virtual_time(queue.tunables.wakeup_granularity, queue.current->weight);
  return execution_for(other->vruntime - queue.current->vruntime - allowed, queue.current->weight);
}

Entity* yield_to(const QueueState& queue) {
  if (until_yield_succeeds(queue) > 0) return queue.current;
  return leftmost_waiting(queue, true);
}

}  // namespace jostle::cpu::cfs
