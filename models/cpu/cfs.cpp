// The completely fair scheduler (Linux 4.9 to 6.5): least virtual runtime first, slices by weight, sleepers
// credited half a latency period. Follows kernel/sched/fair.c without group scheduling.
#include <algorithm>

#include "models/cpu/policy.hpp"

namespace jostle::cpu {
namespace completely_fair {
namespace {

constexpr std::int64_t threads_per_latency = 8;  // sched_nr_latency

constexpr std::array parameters{
    SchedulerParameter{"latency", &SchedulerSpec::latency},
    SchedulerParameter{"min_granularity", &SchedulerSpec::min_granularity},
    SchedulerParameter{"wakeup_granularity", &SchedulerSpec::wakeup_granularity},
};

// The part of a period that `entity` gets when `count` threads of total weight `weight` share the core.
std::int64_t slice(const SchedulerSpec& scheduler, std::int64_t weight, std::size_t count,
                   const Entity& entity) {
  const auto n = static_cast<std::int64_t>(count);
  const std::int64_t least = scheduler.min_granularity.ps();
  const std::int64_t period = n > threads_per_latency ? n * least : scheduler.latency.ps();
  return std::max(period / weight * entity.weight, least);
}

// The waiting entity of least vruntime; null if none waits. Ties: the first in the queue. `impolite`: polite
// entities are skipped.
Entity* leftmost_waiting(const QueueState& queue, bool impolite) {
  Entity* best = nullptr;
  for (Entity* member : queue.members) {
    if (member == queue.current || (impolite && member->polite)) continue;
    if (best == nullptr || member->vruntime < best->vruntime) best = member;
  }
  return best;
}

void update_min_vruntime(QueueState& queue) {
  if (queue.members.empty()) return;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const Entity* member : queue.members) least = std::min(least, member->vruntime);
  queue.min_vruntime = std::max(queue.min_vruntime, least);
}

void enqueue_new(QueueState& queue, Entity& entity) {
  update_min_vruntime(queue);
  // START_DEBIT: a new thread waits for one slice, so that a fork gains no time.
  const std::int64_t first =
      slice(queue.scheduler, queue.weight + entity.weight, queue.members.size() + 1, entity);
  entity.vruntime = queue.min_vruntime + virtual_time(first, entity.weight);
}

void enqueue_woken(QueueState& queue, Entity& entity) {
  // GENTLE_FAIR_SLEEPERS: a sleeper gets at most half a latency of credit.
  entity.vruntime = std::max(entity.vruntime, queue.min_vruntime - queue.scheduler.latency.ps() / 2);
}

// An entity that moves between two queues carries its vruntime relative to min_vruntime.
void make_absolute(QueueState& queue, Entity& entity) {
  entity.vruntime += queue.min_vruntime;
}
void make_relative(QueueState& queue, Entity& entity) {
  entity.vruntime -= queue.min_vruntime;
}

// wakeup_preempt_entity: `entity` is at most one wake-up granularity (at its own weight) behind `other`.
bool within_granularity(const QueueState& queue, const Entity& other, const Entity& entity) {
  return other.vruntime - entity.vruntime <=
         virtual_time(queue.scheduler.wakeup_granularity.ps(), entity.weight);
}

Entity* leftmost(const QueueState& queue) {
  Entity* const left = leftmost_waiting(queue, false);
  Entity* const running = queue.current;
  if (left == nullptr) return running;
  return running != nullptr && running->vruntime < left->vruntime ? running : left;
}

// The leftmost entity, or a buddy if choosing it is not too unfair.
Entity* pick(QueueState& queue) {
  Entity* choice = leftmost(queue);
  for (Entity* const buddy : {queue.next_buddy, queue.last_buddy}) {
    if (buddy == nullptr || !within_granularity(queue, *buddy, *choice)) continue;
    choice = buddy;
    break;
  }
  queue.forget_buddy(*choice);
  return choice;
}

// The tick that preempts the current entity also ends its claim as a buddy (check_preempt_tick).
void slice_over(QueueState& queue) {
  queue.forget_buddy(*queue.current);
}

std::int64_t until_preempted(const QueueState& queue) {
  const Entity& running = *queue.current;
  const Entity& left = *leftmost_waiting(queue, false);
  const std::int64_t ideal = slice(queue.scheduler, queue.weight, queue.members.size(), running);
  const std::int64_t ran = running.executed - running.executed_at_pick;
  // Either its slice is over and it no longer has the least vruntime (else the tick would pick it again),
  const std::int64_t slice_end =
      std::max(ideal + 1 - ran, execution_for(left.vruntime - running.vruntime, running.weight));
  // or it has run for the minimum granularity and is a whole slice ahead of another entity.
  const std::int64_t too_far =
      std::max(queue.scheduler.min_granularity.ps() - ran,
               execution_for(left.vruntime + ideal + 1 - running.vruntime, running.weight));
  return std::max<std::int64_t>(0, std::min(slice_end, too_far));
}

bool preempts(QueueState& queue, Entity& woken, std::int64_t /*since_tick*/) {
  if (within_granularity(queue, *queue.current, woken)) return false;
  if (queue.scheduler.rules().buddies) {
    queue.next_buddy = &woken;
    if (static_cast<std::int64_t>(queue.members.size()) >= threads_per_latency)
      queue.last_buddy = queue.current;
  }
  return true;
}

std::int64_t until_yield_succeeds(const QueueState& queue) {
  const Entity* const other = leftmost_waiting(queue, true);
  if (other == nullptr) return forever;
  // While the other entity is more than a wake-up granularity ahead, the kernel picks the yielding one again
  // (pick_next_entity, skip).
  const std::int64_t allowed = virtual_time(queue.scheduler.wakeup_granularity.ps(), queue.current->weight);
  return execution_for(other->vruntime - queue.current->vruntime - allowed, queue.current->weight);
}

Entity* yield(QueueState& queue) {
  if (until_yield_succeeds(queue) > 0) return queue.current;
  return leftmost_waiting(queue, true);
}

constexpr SchedulerPolicy hooks{
    .parameters = parameters,
    .newest_kernel = find_kernel("5.15.108"),
    .enqueue_new = enqueue_new,
    .enqueue_woken = enqueue_woken,
    .enqueue_migrated = make_absolute,
    .dequeue_migrating = make_relative,
    .release_sleeper = make_relative,
    .adopt_sleeper = make_absolute,
    .update = update_min_vruntime,
    .pick = pick,
    .until_preempted = until_preempted,
    .slice_over = slice_over,
    .preempts = preempts,
    .until_yield_succeeds = until_yield_succeeds,
    .yield = yield,
};

}  // namespace
}  // namespace completely_fair

constinit const SchedulerPolicy cfs = completely_fair::hooks;

}  // namespace jostle::cpu
