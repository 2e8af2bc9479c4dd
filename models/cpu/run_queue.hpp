// The run queue of one core: which thread runs next, how long it runs, and which wake-ups preempt it.
//
// A queue holds the running entity and the waiting ones. It keeps no time: the caller charges the running
// entity its execution time in picoseconds, and queries after how much more of it a tick preempts that
// entity. The policy (policy.hpp) decides; the queue does the work that is the same for every policy.
#pragma once

#include <cstdint>
#include <vector>

#include "models/cpu/policy.hpp"

namespace jostle::cpu {

class RunQueue {
 public:
  // `scheduler`: scaled to the number of online cores.
  explicit RunQueue(const SchedulerSpec& scheduler) : policy_(scheduler.policy) {
    state_.scheduler = scheduler;
  }

  // Arrivals: of a new entity, of one that slept on this queue, of one that the load balance moves here.
  // Departures: of an entity that falls asleep, of one that the load balance moves to another queue.
  void enqueue_new(Entity& entity);
  void enqueue_woken(Entity& entity);
  void enqueue_migrated(Entity& entity);
  void dequeue_sleeping(Entity& entity);
  void dequeue_migrating(Entity& entity);
  // An entity that slept on this queue wakes on another: this queue releases it, then the other queue adopts
  // it, then enqueue_woken() follows there.
  void release_sleeper(Entity& entity);
  void adopt_sleeper(Entity& entity);

  // Changes the weight of `entity`; `member`: it is in this queue.
  void reweigh(Entity& entity, std::int64_t weight, bool member);
  // Something outside the policy takes the core from the current entity, if there is one; it stays a member.
  void put_back();

  // The current entity executed `ps`.
  void charge(std::int64_t ps);
  // Chooses the member that runs next and makes it the current one. The queue must not be empty; the current
  // entity is a candidate.
  Entity* pick();
  // Execution time after which a tick preempts the current entity; 0: the next tick does; `forever`: none.
  [[nodiscard]] std::int64_t until_preempted() const;
  // A tick preempts the current entity. pick() follows.
  void slice_over();
  // True if the arrival of `woken`, just enqueued, preempts the current entity; pick() then returns the next
  // one. `since_tick`: execution time of the current entity since the last tick.
  [[nodiscard]] bool preempts(Entity& woken, std::int64_t since_tick);
  // Execution time after which sched_yield by the current entity lets another one run, and sched_yield
  // itself, which returns the entity that runs next (perhaps the same).
  [[nodiscard]] std::int64_t until_yield_succeeds() const;
  Entity* yield();

  [[nodiscard]] Entity* current() const { return state_.current; }
  [[nodiscard]] const std::vector<Entity*>& members() const { return state_.members; }
  [[nodiscard]] int size() const { return static_cast<int>(state_.members.size()); }
  [[nodiscard]] std::int64_t weight() const { return state_.weight; }
  // The lag of `entity` behind (+) its fair share, or its lead (-), in execution time at nice 0.
  [[nodiscard]] std::int64_t lag(const Entity& entity) const;
  // True if a member waits that is not polite.
  [[nodiscard]] bool useful_waiter() const;
  // True if the entity is a buddy: preferred here for its cached data.
  [[nodiscard]] bool is_buddy(const Entity& entity) const {
    return state_.next_buddy == &entity || state_.last_buddy == &entity;
  }
  // True if all members are polite: they share the core evenly, one poll each, and need no events.
  [[nodiscard]] bool all_polite() const;

 private:
  Entity* switch_to(Entity* next);

  const SchedulerPolicy* policy_;
  QueueState state_;
};

}  // namespace jostle::cpu
