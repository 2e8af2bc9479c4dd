// What the two policies share: membership, charging, and the switch between them.
#include "models/cpu/run_queue.hpp"

#include <algorithm>
#include <bit>

namespace jostle::cpu {

Tunables Tunables::scaled(const SchedulerSpec& spec, int online_cores) {
  const auto cores = static_cast<unsigned>(std::clamp(online_cores, 1, 8));
  const std::int64_t factor = 1 + (std::bit_width(cores) - 1);
  return {.latency = spec.latency.ps() * factor,
          .min_granularity = spec.min_granularity.ps() * factor,
          .wakeup_granularity = spec.wakeup_granularity.ps() * factor,
          .base_slice = spec.base_slice.ps() * factor,
          .tick = spec.tick.ps()};
}

void QueueState::insert(Entity& entity) {
  members.push_back(&entity);
  weight += entity.weight;
}

void QueueState::remove(Entity& entity) {
  members.erase(std::find(members.begin(), members.end(), &entity));
  weight -= entity.weight;
  if (current == &entity) current = nullptr;
}

void RunQueue::enqueue_new(Entity& entity) {
  if (policy_ == Policy::cfs) {
    cfs::enqueue_new(state_, entity);
  } else {
    entity.lag = 0;
    eevdf::place(state_, entity, true);
  }
  state_.insert(entity);
}

void RunQueue::enqueue_woken(Entity& entity) {
  if (policy_ == Policy::cfs) {
    cfs::enqueue_woken(state_, entity);
  } else {
    eevdf::settle_delayed(state_, entity);
    eevdf::place(state_, entity, false);
  }
  state_.insert(entity);
}

void RunQueue::enqueue_migrated(Entity& entity) {
  if (policy_ == Policy::cfs) {
    entity.vruntime += state_.min_vruntime;
  } else {
    eevdf::place(state_, entity, false);
  }
  state_.insert(entity);
}

void RunQueue::dequeue_sleeping(Entity& entity) {
  if (policy_ == Policy::eevdf) eevdf::keep_lag(state_, entity, true);
  state_.remove(entity);
  if (policy_ == Policy::cfs) cfs::advance_minimum(state_);
}

void RunQueue::dequeue_migrating(Entity& entity) {
  if (policy_ == Policy::cfs) {
    entity.vruntime -= state_.min_vruntime;
  } else {
    eevdf::keep_lag(state_, entity, false);
  }
  state_.remove(entity);
  if (policy_ == Policy::cfs) cfs::advance_minimum(state_);
}

void RunQueue::release_sleeper(Entity& entity) {
  if (policy_ == Policy::cfs) {
    entity.vruntime -= state_.min_vruntime;
  } else {
    eevdf::settle_delayed(state_, entity);
  }
}

void RunQueue::adopt_sleeper(Entity& entity) {
  if (policy_ == Policy::cfs) entity.vruntime += state_.min_vruntime;
}

void RunQueue::charge(std::int64_t ps) {
  Entity& entity = *state_.current;
  entity.executed += ps;
  if (all_polite()) {
    // They pass the core round at every poll, so each gets its share of this time.
    const std::int64_t share = ps * nice_0_weight / state_.weight;
    for (Entity* member : state_.members) member->vruntime += share;
  } else {
    entity.vruntime += virtual_time(ps, entity.weight);
  }
  if (policy_ == Policy::cfs) cfs::advance_minimum(state_);
}

Entity* RunQueue::pick() {
  Entity* const next = policy_ == Policy::cfs ? cfs::best(state_) : eevdf::best(state_, false);
  if (next == state_.current) return next;
  if (state_.current != nullptr) {  // put back behind those of equal virtual time
    const auto at = std::find(state_.members.begin(), state_.members.end(), state_.current);
    std::rotate(at, at + 1, state_.members.end());
  }
  state_.current = next;
  next->executed_at_pick = next->executed;
  if (policy_ == Policy::eevdf) eevdf::picked(state_, *next);
  return next;
}

std::int64_t RunQueue::until_preempted() const {
  if (state_.members.size() < 2 || state_.current == nullptr || all_polite()) return forever;
  return policy_ == Policy::cfs ? cfs::until_preempted(state_) : eevdf::until_preempted(state_);
}

void RunQueue::slice_over() {
  if (policy_ == Policy::eevdf) eevdf::renew_deadline(state_, 0);
}

bool RunQueue::preempts(Entity& woken, std::int64_t since_tick) {
  if (policy_ == Policy::cfs) return cfs::preempts(state_, woken);
  return eevdf::preempts(state_, woken, since_tick);
}

std::int64_t RunQueue::until_yield_succeeds() const {
  return policy_ == Policy::cfs ? cfs::until_yield_succeeds(state_) : 0;
}

Entity* RunQueue::yield() {
  if (policy_ == Policy::eevdf) {
    eevdf::yield_slice(state_);
    return pick();
  }
  Entity* const next = cfs::yield_to(state_);
  if (next == state_.current) return next;
  const auto at = std::find(state_.members.begin(), state_.members.end(), state_.current);
  std::rotate(at, at + 1, state_.members.end());
  state_.current = next;
  next->executed_at_pick = next->executed;
  return next;
}

std::int64_t RunQueue::lag(const Entity& entity) const {
  return eevdf::average(state_) - entity.vruntime;
}

bool RunQueue::useful_waiter() const {
  return std::any_of(state_.members.begin(), state_.members.end(),
                     [&](const Entity* member) { return member != state_.current && !member->polite; });
}

bool RunQueue::all_polite() const {
  return std::all_of(state_.members.begin(), state_.members.end(),
                     [](const Entity* member) { return member->polite; });
}

}  // namespace jostle::cpu
