// Earliest eligible virtual deadline first (Linux 6.6 and later): among the entities not ahead of their fair
// share, the one with the earliest deadline runs. Follows kernel/sched/fair.c of 6.12 to 6.18: lag is kept
// over sleep and migration (PLACE_LAG, DELAY_DEQUEUE, DELAY_ZERO), entities run to parity, a slice ends at
// the tick.
#include <algorithm>

#include "models/cpu/policy.hpp"

namespace jostle::cpu {
namespace virtual_deadline {
namespace {

constexpr std::array parameters{SchedulerParameter{"base_slice", &SchedulerSpec::base_slice}};

std::int64_t virtual_slice(const QueueState& queue, const Entity& entity) {
  return virtual_time(queue.scheduler.base_slice.ps(), entity.weight);
}

bool eligible(const QueueState& queue, const Entity& entity) {
  return queue.weighted_offset(entity.vruntime) >= 0;
}

// Sets the vruntime so that the entity has its lag, and a deadline `slice` later in virtual time.
void place(QueueState& queue, Entity& entity, std::int64_t slice) {
  std::int64_t lag = 0;
  if (!queue.members.empty()) {
    // The arrival moves the average by part of the lag. The lag is enlarged so that the entity keeps the
    // wanted lag.
    lag = entity.lag * (queue.weight + entity.weight) / queue.weight;
  }
  entity.vruntime = queue.average_vruntime() - lag;
  entity.deadline = entity.vruntime + slice;
}

void enqueue_new(QueueState& queue, Entity& entity) {
  entity.lag = 0;
  // A new thread's first slice is half as long (PLACE_DEADLINE_INITIAL).
  place(queue, entity, virtual_slice(queue, entity) / 2);
}

// Ends a delayed dequeue: the entity keeps the lag that has not yet faded.
void settle_delayed(QueueState& queue, Entity& entity) {
  if (!entity.dequeue_delayed) return;
  entity.dequeue_delayed = false;
  // The kernel leaves such a sleeper in the queue until the average has caught up with its vruntime. In an
  // empty queue its lag is gone at once.
  entity.lag = queue.members.empty()
                   ? 0
                   : std::clamp(queue.average_vruntime() - entity.vruntime, entity.lag, std::int64_t{0});
}

void enqueue_woken(QueueState& queue, Entity& entity) {
  settle_delayed(queue, entity);
  place(queue, entity, virtual_slice(queue, entity));
}

void enqueue_migrated(QueueState& queue, Entity& entity) {
  place(queue, entity, virtual_slice(queue, entity));
}

void keep_lag(QueueState& queue, Entity& entity) {
  const SchedulerSpec& scheduler = queue.scheduler;
  const std::int64_t limit =
      virtual_time(std::max(2 * scheduler.base_slice.ps(), scheduler.tick.ps()), entity.weight);
  const std::int64_t now = queue.average_vruntime();
  entity.lag = std::clamp(now - entity.vruntime, -limit, limit);
  entity.dequeue_delayed = false;
  if (queue.members.size() == 1) queue.min_vruntime = now;
}

// reweight_entity: the lag and the rest of the slice stay the same in execution time.
void reweigh(QueueState& queue, Entity& entity, const SchedulerPolicy::Reweighed& to) {
  const auto rescaled = [&](std::int64_t span) { return span * entity.weight / to.weight; };
  if (!to.member) {
    entity.lag = rescaled(entity.lag);
    return;
  }
  const std::int64_t average = queue.average_vruntime();
  const std::int64_t vruntime = average + rescaled(entity.vruntime - average);
  entity.deadline = vruntime + rescaled(entity.deadline - entity.vruntime);
  entity.protected_until = vruntime + rescaled(entity.protected_until - entity.vruntime);
  entity.vruntime = vruntime;
}

void dequeue_sleeping(QueueState& queue, Entity& entity) {
  keep_lag(queue, entity);
  entity.dequeue_delayed = entity.lag < 0;
}

// The eligible member of earliest deadline. `protect`: the current entity instead, until its protection ends.
Entity* best(const QueueState& queue, bool protect) {
  // The exact test: weight of all x (own vruntime - origin) <= weighted offset of all from the origin.
  const std::int64_t origin = queue.members.front()->vruntime;
  const std::int64_t offset = queue.weighted_offset(origin);
  const auto is_eligible = [&](const Entity& e) { return queue.weight * (e.vruntime - origin) <= offset; };

  Entity* running = queue.current;
  if (running != nullptr && !is_eligible(*running)) running = nullptr;
  if (running != nullptr && protect && running->vruntime < running->protected_until) return running;
  Entity* choice = nullptr;
  for (Entity* member : queue.members) {
    if (member == queue.current || (choice != nullptr && member->deadline >= choice->deadline)) continue;
    if (is_eligible(*member)) choice = member;
  }
  if (choice == nullptr) return running;  // some member is always eligible
  return running != nullptr && running->deadline < choice->deadline ? running : choice;
}

Entity* pick(QueueState& queue) {
  return best(queue, false);
}

void set_next(QueueState& queue, Entity& next) {
  next.protected_until = std::min(next.deadline, next.vruntime + virtual_slice(queue, next));
}

std::int64_t until_preempted(const QueueState& queue) {
  return execution_for(queue.current->deadline - queue.current->vruntime, queue.current->weight);
}

// Renews the deadline of the current entity if its slice is over; true if it was.
bool renew_deadline(QueueState& queue, std::int64_t since_tick) {
  Entity& running = *queue.current;
  if (running.vruntime < running.deadline) return false;
  // While the entity ran alone, ticks without an event renewed its deadline: the new slice starts at the last
  // tick.
  const std::int64_t at_tick = running.vruntime - virtual_time(since_tick, running.weight);
  const std::int64_t from = at_tick >= running.deadline ? at_tick : running.vruntime;
  running.deadline = from + virtual_slice(queue, running);
  return true;
}

void slice_over(QueueState& queue) {
  renew_deadline(queue, 0);
}

bool preempts(QueueState& queue, Entity& woken, std::int64_t since_tick) {
  // A wake-up checks the current entity's slice as a tick does. If the slice is over and another entity
  // already waited, the kernel picks anew; if the current entity was alone, it only gets a new deadline.
  const bool over = renew_deadline(queue, since_tick);
  if (over && queue.members.size() > 2) return true;
  return best(queue, true) == &woken;
}

void yield_slice(QueueState& queue) {
  Entity& running = *queue.current;
  if (eligible(queue, running)) running.vruntime = std::max(running.vruntime, running.deadline);
  running.deadline = std::max(running.deadline, running.vruntime) + virtual_slice(queue, running);
}

Entity* yield(QueueState& queue) {
  yield_slice(queue);
  return pick(queue);
}

constexpr SchedulerPolicy hooks{
    .parameters = parameters,
    .newest_kernel = find_kernel("6.18"),
    .enqueue_new = enqueue_new,
    .enqueue_woken = enqueue_woken,
    .enqueue_migrated = enqueue_migrated,
    .dequeue_sleeping = dequeue_sleeping,
    .dequeue_migrating = keep_lag,
    .release_sleeper = settle_delayed,
    .reweigh = reweigh,
    .pick = pick,
    .set_next = set_next,
    .until_preempted = until_preempted,
    .slice_over = slice_over,
    .preempts = preempts,
    .yield = yield,
};

}  // namespace
}  // namespace virtual_deadline

constinit const SchedulerPolicy eevdf = virtual_deadline::hooks;

}  // namespace jostle::cpu
