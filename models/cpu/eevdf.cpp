// Earliest eligible virtual deadline first (Linux 6.6 and later): among those not ahead of their fair share,
// the one whose slice is due first. After kernel/sched/fair.c of 6.12 to 6.18: lag kept over sleep and
// migration (PLACE_LAG, DELAY_DEQUEUE, DELAY_ZERO), run to parity, a slice ended at the tick.
#include <algorithm>

#include "models/cpu/run_queue.hpp"

namespace jostle::cpu::eevdf {
namespace {

std::int64_t virtual_slice(const QueueState& queue, const Entity& entity) {
  return virtual_time(queue.tunables.base_slice, entity.weight);
}

// Sum over the members of weight x (vruntime - origin).
std::int64_t weighted_offset(const QueueState& queue, std::int64_t origin) {
  std::int64_t sum = 0;
  for (const Entity* member : queue.members) sum += member->weight * (member->vruntime - origin);
  return sum;
}

}  // namespace

std::int64_t average(const QueueState& queue) {
  if (queue.members.empty()) return queue.min_vruntime;
  const std::int64_t origin = queue.members.front()->vruntime;
  std::int64_t sum = weighted_offset(queue, origin);
  if (sum < 0) sum -= queue.weight - 1;  // rounded down, as the kernel does
  return origin + sum / queue.weight;
}

bool eligible(const QueueState& queue, const Entity& entity) {
  return weighted_offset(queue, entity.vruntime) >= 0;
}

void place(QueueState& queue, Entity& entity, bool is_new) {
  std::int64_t lag = 0;
  if (!queue.members.empty()) {
    // Its own arrival moves the average by part of its lag; enlarge the lag so that what remains is the lag.
    lag = entity.lag * (queue.weight + entity.weight) / queue.weight;
  }
  entity.vruntime = average(queue) - lag;
  // A new thread gets half a slice first, to ease into the competition (PLACE_DEADLINE_INITIAL).
  const std::int64_t slice = virtual_slice(queue, entity);
  entity.deadline = entity.vruntime + (is_new ? slice / 2 : slice);
}

void keep_lag(QueueState& queue, Entity& entity, bool sleeps) {
  const std::int64_t limit =
      virtual_time(std::max(2 * queue.tunables.base_slice, queue.tunables.tick), entity.weight);
  const std::int64_t now = average(queue);
  entity.lag = std::clamp(now - entity.vruntime, -limit, limit);
  entity.dequeue_delayed = sleeps && entity.lag < 0;
  if (queue.members.size() == 1) queue.min_vruntime = now;
}

void settle_delayed(const QueueState& queue, Entity& entity) {
  if (!entity.dequeue_delayed) return;
  entity.dequeue_delayed = false;
  // The kernel leaves such a sleeper in the queue until the average has caught up with it. An empty queue has
  // no one to wait for.
  entity.lag =
      queue.members.empty() ? 0 : std::clamp(average(queue) - entity.vruntime, entity.lag, std::int64_t{0});
}

void picked(QueueState& queue, Entity& entity) {
  entity.protected_until = std::min(entity.deadline, entity.vruntime + virtual_slice(queue, entity));
}

Entity* best(const QueueState& queue, bool protect) {
  // Eligible, exactly: weight of all x (own vruntime - origin) <= weighted offset of all from the origin.
  const std::int64_t origin = queue.members.front()->vruntime;
  const std::int64_t offset = weighted_offset(queue, origin);
  const auto is_eligible = [&](const Entity& e) { return queue.weight * (e.vruntime - origin) <= offset; };

  Entity* running = queue.current;
  if (running != nullptr && !is_eligible(*running)) running = nullptr;
  if (running != nullptr && protect && running->vruntime < running->protected_until) return running;
  Entity* choice = nullptr;
  for (Entity* member : queue.members) {
    if (member == queue.current || !is_eligible(*member)) continue;
    if (choice == nullptr || member->deadline < choice->deadline) choice = member;
  }
  if (choice == nullptr) return running;  // somebody is always eligible
  return running != nullptr && running->deadline < choice->deadline ? running : choice;
}

std::int64_t until_preempted(const QueueState& queue) {
  return execution_for(queue.current->deadline - queue.current->vruntime, queue.current->weight);
}

bool renew_deadline(QueueState& queue, std::int64_t since_tick) {
  Entity& running = *queue.current;
  if (running.vruntime < running.deadline) return false;
  // While it ran alone, ticks renewed its deadline unseen: take the last of them.
  const std::int64_t at_tick = running.vruntime - virtual_time(since_tick, running.weight);
  const std::int64_t from = at_tick >= running.deadline ? at_tick : running.vruntime;
  running.deadline = from + virtual_slice(queue, running);
  return true;
}

bool preempts(QueueState& queue, const Entity& woken, std::int64_t since_tick) {
  // An arrival looks at the running one's slice as a tick does: if it is over and somebody waited already,
  // the core is given to whoever is best. Alone, the slice was renewed without consequences.
  const bool slice_over = renew_deadline(queue, since_tick);
  if (slice_over && queue.members.size() > 2) return true;
  return best(queue, true) == &woken;
}

void yield_slice(QueueState& queue) {
  Entity& running = *queue.current;
  if (eligible(queue, running)) running.vruntime = std::max(running.vruntime, running.deadline);
  running.deadline = std::max(running.deadline, running.vruntime) + virtual_slice(queue, running);
}

}  // namespace jostle::cpu::eevdf
