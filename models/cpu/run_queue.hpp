// The run queue of one core: who runs next, for how long, and whom a wake-up displaces.
//
// The policy is the kernel's, one file each: cfs.cpp (Linux before 6.6) and eevdf.cpp (6.6 and later). A
// queue holds the running entity and the waiting ones and knows nothing of time: the caller charges it
// execution time in picoseconds, and asks after how much more of it a tick would take the core away.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "models/cpu/nice.hpp"
#include "models/cpu/spec.hpp"

namespace jostle::cpu {

// What the scheduler remembers of a thread. Virtual times are picoseconds of execution at nice 0.
struct Entity {
  std::int64_t weight = nice_0_weight;
  std::int64_t vruntime = 0;
  std::int64_t executed = 0;          // on a core, all told (ps)
  std::int64_t executed_at_pick = 0;  // `executed` when it was last given the core
  bool polite = false;  // yields at every poll and has nothing to see yet: gives way to the rest
  // eevdf
  std::int64_t deadline = 0;
  std::int64_t protected_until = 0;  // run to parity: kept against wake-ups until this vruntime
  std::int64_t lag = 0;              // average minus own vruntime when it left its queue
  bool dequeue_delayed = false;      // slept while owing time: the debt fades while others run
};

// Scaled scheduler parameters, picoseconds.
struct Tunables {
  std::int64_t latency = 0, min_granularity = 0, wakeup_granularity = 0, base_slice = 0, tick = 0;

  // The kernel multiplies its defaults by 1 + ilog2(min(online cores, 8)) (sched_tunable_scaling = 1).
  [[nodiscard]] static Tunables scaled(const SchedulerSpec& spec, int online_cores);
};

// Execution time that no tick will cut.
inline constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

// The state both policies work on.
struct QueueState {
  Tunables tunables;
  std::vector<Entity*> members;  // the running one too; in the order in which they came or were put back
  Entity* current = nullptr;
  std::int64_t weight = 0;        // of all members
  std::int64_t min_vruntime = 0;  // cfs: never falls; eevdf: the average when the queue was last not empty

  void insert(Entity& entity);
  void remove(Entity& entity);
};

class RunQueue {
 public:
  RunQueue(Policy policy, const Tunables& tunables) : policy_(policy) { state_.tunables = tunables; }

  // Enter: a new thread; one that slept on this queue; one pulled here. Leave: to sleep; to another queue.
  void enqueue_new(Entity& entity);
  void enqueue_woken(Entity& entity);
  void enqueue_migrated(Entity& entity);
  void dequeue_sleeping(Entity& entity);
  void dequeue_migrating(Entity& entity);
  // A sleeper of this queue is about to wake on another: make its virtual time relative ...
  void release_sleeper(Entity& entity);
  // ... and, there, absolute again, before enqueue_woken().
  void adopt_sleeper(Entity& entity);

  // The running entity executed `ps`.
  void charge(std::int64_t ps);
  // Chooses who runs, and makes it the current one; null when empty. `may_keep`: the running one is a
  // candidate.
  Entity* pick();
  // Execution time after which a tick finds that the current one must go; 0 if already, `forever` if never.
  [[nodiscard]] std::int64_t until_preempted() const;
  // A tick (or any later look) found until_preempted() == 0: book-keeping before pick().
  void slice_over();
  // Whether `woken`, just enqueued, or another takes the core from the current one now. `since_tick`:
  // execution time of the current one since the last tick.
  [[nodiscard]] bool preempts(Entity& woken, std::int64_t since_tick);
  // sched_yield by the current one: execution time it must still do before a yield finds somebody else, and
  // the yield itself, which returns who runs next (perhaps the same).
  [[nodiscard]] std::int64_t until_yield_succeeds() const;
  Entity* yield();

  [[nodiscard]] Entity* current() const { return state_.current; }
  [[nodiscard]] const std::vector<Entity*>& members() const { return state_.members; }
  [[nodiscard]] int size() const { return static_cast<int>(state_.members.size()); }
  [[nodiscard]] std::int64_t weight() const { return state_.weight; }
  // How far `entity` is behind (+) or ahead (-) of its fair share, in execution time at nice 0.
  [[nodiscard]] std::int64_t lag(const Entity& entity) const;
  // Somebody waits who is not just polling.
  [[nodiscard]] bool useful_waiter() const;
  // Everybody here only polls and yields: they share the core evenly, poll by poll, without events.
  [[nodiscard]] bool all_polite() const;

 private:
  Policy policy_;
  QueueState state_;
};

// Virtual time of `ps` of execution at `weight`, and its inverse rounded up.
[[nodiscard]] constexpr std::int64_t virtual_time(std::int64_t ps, std::int64_t weight) {
  return weight == nice_0_weight ? ps : ps * nice_0_weight / weight;
}
[[nodiscard]] constexpr std::int64_t execution_for(std::int64_t virtual_ps, std::int64_t weight) {
  if (virtual_ps <= 0) return 0;
  return weight == nice_0_weight ? virtual_ps : (virtual_ps * weight + nice_0_weight - 1) / nice_0_weight;
}

namespace cfs {
void enqueue_new(QueueState&, Entity&);
void enqueue_woken(QueueState&, Entity&);
void advance_minimum(QueueState&);
[[nodiscard]] Entity* best(const QueueState&);
[[nodiscard]] std::int64_t until_preempted(const QueueState&);
[[nodiscard]] bool preempts(const QueueState&, const Entity& woken);
[[nodiscard]] std::int64_t until_yield_succeeds(const QueueState&);
[[nodiscard]] Entity* yield_to(const QueueState&);
}  // namespace cfs

namespace eevdf {
[[nodiscard]] std::int64_t average(const QueueState&);
[[nodiscard]] bool eligible(const QueueState&, const Entity&);
void place(QueueState&, Entity&, bool is_new);
void keep_lag(QueueState&, Entity&, bool sleeps);
void settle_delayed(const QueueState&, Entity&);
void picked(QueueState&, Entity&);
[[nodiscard]] Entity* best(const QueueState&, bool protect);
[[nodiscard]] std::int64_t until_preempted(const QueueState&);
bool renew_deadline(QueueState&, std::int64_t since_tick);  // whether it was due
[[nodiscard]] bool preempts(QueueState&, const Entity& woken, std::int64_t since_tick);
void yield_slice(QueueState&);
}  // namespace eevdf

}  // namespace jostle::cpu
