// The code that all policies share: parameters, members, execution times.
#include "models/cpu/run_queue.hpp"

#include <algorithm>
#include <bit>

#include "sim/contract.hpp"

namespace jostle::cpu {

SchedulerSpec SchedulerSpec::scaled(int online_cores) const {
  const auto cores = static_cast<unsigned>(std::clamp(online_cores, 1, 8));
  const std::int64_t factor = 1 + (std::bit_width(cores) - 1);
  SchedulerSpec result = *this;
  for (const SchedulerParameter& parameter : policy->parameters) {
    result.*parameter.value = factor * (this->*parameter.value);
  }
  return result;
}

const KernelVersion& SchedulerSpec::rules() const {
  return kernel != nullptr ? *kernel : *policy->newest_kernel;
}

void QueueState::insert(Entity& entity) {
  sim::contract(entity.weight > 0, "an entity has a share of its core");
  members.push_back(&entity);
  weight += entity.weight;
}

void QueueState::remove(Entity& entity) {
  const auto at = std::find(members.begin(), members.end(), &entity);
  sim::contract(at != members.end(), "an entity that leaves a run queue was in it");
  members.erase(at);
  weight -= entity.weight;
  sim::contract(weight >= 0 && (weight == 0) == members.empty(),
                "the weight of a queue is that of its members");
  if (current == &entity) current = nullptr;
  forget_buddy(entity);
}

std::int64_t QueueState::average_vruntime() const {
  if (members.empty()) return min_vruntime;
  const std::int64_t origin = members.front()->vruntime;
  std::int64_t sum = weighted_offset(origin);
  if (sum < 0) sum -= weight - 1;
  return origin + sum / weight;
}

void RunQueue::enqueue_new(Entity& entity) {
  policy_->enqueue_new(state_, entity);
  state_.insert(entity);
}

void RunQueue::enqueue_woken(Entity& entity) {
  policy_->enqueue_woken(state_, entity);
  state_.insert(entity);
}

void RunQueue::enqueue_migrated(Entity& entity) {
  policy_->enqueue_migrated(state_, entity);
  state_.insert(entity);
}

void RunQueue::dequeue_sleeping(Entity& entity) {
  policy_->dequeue_sleeping(state_, entity);
  state_.remove(entity);
  policy_->update(state_);
}

void RunQueue::dequeue_migrating(Entity& entity) {
  policy_->dequeue_migrating(state_, entity);
  state_.remove(entity);
  policy_->update(state_);
}

void RunQueue::release_sleeper(Entity& entity) {
  policy_->release_sleeper(state_, entity);
}

void RunQueue::adopt_sleeper(Entity& entity) {
  policy_->adopt_sleeper(state_, entity);
}

void RunQueue::reweigh(Entity& entity, std::int64_t weight, bool member) {
  sim::contract(weight > 0, "an entity keeps a share of its core");
  policy_->reweigh(state_, entity, {.weight = weight, .member = member});
  if (member) state_.weight += weight - entity.weight;
  entity.weight = weight;
}

void RunQueue::put_back() {
  if (state_.current == nullptr) return;
  const auto at = std::find(state_.members.begin(), state_.members.end(), state_.current);
  sim::contract(at != state_.members.end(), "the entity that runs is in the queue");
  std::rotate(at, at + 1, state_.members.end());
  state_.current = nullptr;
}

void RunQueue::charge(std::int64_t ps) {
  sim::contract(state_.current != nullptr && ps >= 0, "time is charged to the entity that runs");
  Entity& entity = *state_.current;
  entity.executed += ps;
  if (all_polite()) {
    // The core cycles through the members, one poll each, so each gets its share of this time.
    const std::int64_t share = ps * nice_0_weight / state_.weight;
    for (Entity* member : state_.members) member->vruntime += share;
  } else {
    entity.vruntime += virtual_time(ps, entity.weight);
  }
  policy_->update(state_);
}

// Makes `next` the current entity.
Entity* RunQueue::switch_to(Entity* next) {
  if (next == state_.current) return next;
  put_back();  // behind the members of equal virtual time
  state_.current = next;
  next->executed_at_pick = next->executed;
  policy_->set_next(state_, *next);
  return next;
}

Entity* RunQueue::pick() {
  sim::contract(!state_.members.empty(), "a queue that picks has a member");
  return switch_to(policy_->pick(state_));
}

std::int64_t RunQueue::until_preempted() const {
  if (state_.members.size() < 2 || state_.current == nullptr || all_polite()) return forever;
  return policy_->until_preempted(state_);
}

void RunQueue::slice_over() {
  policy_->slice_over(state_);
}

bool RunQueue::preempts(Entity& woken, std::int64_t since_tick) {
  sim::contract(&woken != state_.current && since_tick >= 0, "an entity that wakes does not run yet");
  return policy_->preempts(state_, woken, since_tick);
}

std::int64_t RunQueue::until_yield_succeeds() const {
  return policy_->until_yield_succeeds(state_);
}

Entity* RunQueue::yield() {
  sim::contract(state_.current != nullptr, "an entity that yields runs");
  return switch_to(policy_->yield(state_));
}

std::int64_t RunQueue::lag(const Entity& entity) const {
  return state_.average_vruntime() - entity.vruntime;
}

bool RunQueue::useful_waiter() const {
  return std::any_of(state_.members.begin(), state_.members.end(),
                     [&](const Entity* member) { return member != state_.current && !member->polite; });
}

bool RunQueue::all_polite() const {
  if (state_.current != nullptr && !state_.current->polite) return false;
  return std::all_of(state_.members.begin(), state_.members.end(),
                     [](const Entity* member) { return member->polite; });
}

}  // namespace jostle::cpu
