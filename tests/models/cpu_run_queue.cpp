// The arithmetic of the policies, on a run queue by itself. Times in ms of execution.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "models/cpu/run_queue.hpp"

namespace jostle::cpu::test {
namespace JOSTLE_FILE {

constexpr std::int64_t ms = 1'000'000'000;
SchedulerSpec scheduler(const SchedulerPolicy& policy) {
  return {.policy = &policy,
          .tick = sim::Duration{4 * ms},
          .latency = sim::Duration{24 * ms},
          .min_granularity = sim::Duration{3 * ms},
          .wakeup_granularity = sim::Duration{4 * ms},
          .base_slice = sim::Duration{3 * ms}};
}

struct Queue : RunQueue {
  explicit Queue(const SchedulerPolicy& policy) : RunQueue(scheduler(policy)) {}
  // A new member that has the core first, for `executed`.
  void start_with(Entity& entity, std::int64_t executed) {
    enqueue_new(entity);
    pick();
    charge(executed);
  }
};

TEST(EevdfQueue, a_wake_up_does_not_interrupt_a_slice_that_is_not_over) {
  Queue queue(eevdf);
  Entity running;
  Entity sleeper;
  Entity third;
  queue.start_with(third, 0);
  queue.enqueue_new(running);
  queue.enqueue_new(sleeper);
  queue.dequeue_sleeping(sleeper);
  queue.slice_over();
  queue.charge(2 * ms);
  queue.pick();
  ASSERT_EQ(queue.current(), &running);
  // Both are eligible and the sleeper's deadline may be earlier, yet the slice is protected.
  running.deadline = running.vruntime + 3 * ms;
  running.protected_until = running.deadline;
  queue.enqueue_woken(sleeper);
  sleeper.deadline = running.deadline - 1;
  EXPECT_FALSE(queue.preempts(sleeper, 0));
  running.protected_until = running.vruntime;
  EXPECT_TRUE(queue.preempts(sleeper, 0));
}

TEST(EevdfQueue, one_ahead_of_its_share_is_not_eligible_however_early_its_deadline) {
  Queue queue(eevdf);
  Entity a;
  Entity b;
  queue.start_with(a, 0);
  queue.enqueue_new(b);
  queue.charge(2 * ms);
  a.deadline = b.deadline - 1;
  EXPECT_EQ(queue.pick(), &b);
}

TEST(EevdfQueue, an_arrival_ends_a_slice_that_is_over_if_somebody_was_waiting) {
  Queue queue(eevdf);
  Entity running;
  Entity waiting;
  Entity arriving;
  queue.start_with(running, 0);
  queue.enqueue_new(waiting);
  queue.charge(3 * ms);
  queue.enqueue_new(arriving);
  arriving.deadline = waiting.deadline + 10 * ms;
  EXPECT_TRUE(queue.preempts(arriving, 0));
  EXPECT_EQ(queue.pick(), &waiting);
}

TEST(EevdfQueue, an_arrival_at_a_lone_thread_waits_for_the_tick) {
  Queue queue(eevdf);
  Entity alone;
  Entity arriving;
  queue.start_with(alone, 100 * ms);
  queue.enqueue_woken(arriving);
  // The last tick, 1 ms ago, renewed its slice of 3 ms.
  EXPECT_FALSE(queue.preempts(arriving, 1 * ms));
  EXPECT_EQ(queue.until_preempted(), 2 * ms);
}

TEST(EevdfQueue, lag_is_kept_over_a_migration) {
  Queue from(eevdf);
  Queue to(eevdf);
  std::array<Entity, 4> e;
  from.start_with(e[0], 0);
  from.enqueue_new(e[1]);
  from.charge(2 * ms);
  to.start_with(e[2], 77 * ms);
  to.enqueue_new(e[3]);
  EXPECT_EQ(from.lag(e[1]), 1 * ms);
  from.dequeue_migrating(e[1]);
  to.enqueue_migrated(e[1]);
  EXPECT_NEAR(static_cast<double>(to.lag(e[1])), 1e9, 10);
}

TEST(EevdfQueue, a_sleeper_that_owes_time_is_forgiven_only_as_others_run) {
  Queue queue(eevdf);
  Entity greedy;
  Entity other;
  queue.start_with(greedy, 0);
  queue.enqueue_new(other);
  queue.charge(4 * ms);
  EXPECT_EQ(queue.lag(greedy), -2 * ms);
  queue.dequeue_sleeping(greedy);
  queue.pick();
  Entity early = greedy;
  Queue copy = queue;  // wakes at once: still owes
  copy.enqueue_woken(early);
  EXPECT_LT(copy.lag(early), -1 * ms);
  queue.charge(10 * ms);  // the other has caught up since
  queue.enqueue_woken(greedy);
  EXPECT_EQ(queue.lag(greedy), 0);
}

TEST(EevdfQueue, a_new_thread_has_half_a_slice) {
  Queue queue(eevdf);
  Entity a;
  Entity b;
  queue.start_with(a, 0);
  queue.enqueue_new(b);
  EXPECT_EQ(b.deadline - b.vruntime, 3 * ms / 2);
}

TEST(CfsQueue, a_new_thread_waits_for_one_slice) {
  Queue queue(cfs);
  Entity a;
  Entity b;
  queue.start_with(a, 5 * ms);
  queue.enqueue_new(b);
  EXPECT_EQ(b.vruntime - a.vruntime, 12 * ms);
}

TEST(CfsQueue, a_sleeper_has_at_most_half_a_latency_of_credit) {
  Queue queue(cfs);
  Entity spinner;
  Entity sleeper;
  queue.start_with(spinner, 0);
  queue.enqueue_new(sleeper);
  queue.dequeue_sleeping(sleeper);
  queue.charge(100 * ms);
  queue.enqueue_woken(sleeper);
  EXPECT_EQ(spinner.vruntime - sleeper.vruntime, 12 * ms);
  EXPECT_TRUE(queue.preempts(sleeper, 0));
}

TEST(CfsQueue, a_wake_up_preempts_beyond_the_granularity_only) {
  for (const std::int64_t lead : {4 * ms, 4 * ms + 1}) {
    Queue queue(cfs);
    Entity running;
    Entity woken;
    queue.start_with(running, 20 * ms);
    queue.enqueue_woken(woken);
    woken.vruntime = running.vruntime - lead;
    EXPECT_EQ(queue.preempts(woken, 0), lead > 4 * ms);
  }
}

TEST(CfsQueue, who_preempts_by_waking_runs_next_although_another_is_further_behind) {
  for (const char* kernel : {"5.10", "6.8"}) {  // with buddies, and without
    SchedulerSpec spec = scheduler(cfs);
    spec.kernel = find_kernel(kernel);
    RunQueue queue(spec);
    Entity running, waiting, woken;
    queue.enqueue_new(running);
    queue.pick();
    queue.enqueue_new(waiting);
    queue.enqueue_woken(woken);
    running.vruntime = 20 * ms;
    waiting.vruntime = 10 * ms;
    woken.vruntime = 12 * ms;
    EXPECT_TRUE(queue.preempts(woken, 0));
    EXPECT_EQ(queue.pick(), find_kernel(kernel)->buddies ? &woken : &waiting);
  }
}

TEST(CfsQueue, a_buddy_is_passed_over_where_that_would_be_too_unfair) {
  Queue queue(cfs);
  Entity running, waiting, woken;
  queue.start_with(running, 0);
  queue.enqueue_new(waiting);
  queue.enqueue_woken(woken);
  running.vruntime = 20 * ms;
  waiting.vruntime = 0;
  woken.vruntime = 4 * ms + 1;
  EXPECT_TRUE(queue.preempts(woken, 0));
  EXPECT_EQ(queue.pick(), &waiting);
}

TEST(CfsQueue, more_than_eight_sharers_stretch_the_period) {
  Queue queue(cfs);
  std::array<Entity, 12> e;
  queue.start_with(e[0], 0);
  for (std::size_t i = 1; i < e.size(); ++i) queue.enqueue_new(e[i]);
  for (Entity& entity : e) entity.vruntime = 0;
  EXPECT_EQ(queue.until_preempted(), 3 * ms + 1) << "the least granularity, where 24 ms / 12 would be 2 ms";
}

TEST(CfsQueue, virtual_time_runs_slower_for_heavier_threads) {
  Queue queue(cfs);
  Entity heavy{.weight = weight_of_nice(-5)};
  queue.enqueue_new(heavy);
  const std::int64_t before = heavy.vruntime;
  queue.pick();
  queue.charge(3121 * ms);
  EXPECT_EQ(heavy.vruntime - before, 1024 * ms);
}

TEST(AnyQueue, pollers_that_only_yield_share_their_time_evenly) {
  for (const auto& [name, policy] : policies) {
    Queue queue(*policy);
    Entity a{.polite = true};
    Entity b{.polite = true};
    queue.start_with(a, 0);
    queue.enqueue_new(b);
    const std::int64_t apart = a.vruntime - b.vruntime;
    queue.charge(50 * ms);
    EXPECT_EQ(a.vruntime - b.vruntime, apart);
    EXPECT_EQ(queue.until_preempted(), forever);
  }
}

TEST(AnyQueue, equals_take_turns_in_the_order_in_which_they_came) {
  for (const auto& [name, policy] : policies) {
    Queue queue(*policy);
    std::array<Entity, 3> e;
    for (Entity& entity : e) queue.enqueue_new(entity);
    for (Entity& entity : e) entity.vruntime = entity.deadline = 0;
    for (int turn = 0; turn < 6; ++turn) {
      EXPECT_EQ(queue.pick(), &e[static_cast<std::size_t>(turn % 3)]);
      queue.charge(4 * ms);
      queue.slice_over();
    }
  }
}

TEST(AnyQueue, who_yields_to_a_worker_that_waits_lets_it_run_after_the_time_foretold) {
  for (const auto& [name, policy] : policies) {
    Queue queue(*policy);
    Entity poller{.polite = true};
    Entity worker;
    queue.start_with(poller, 0);
    queue.enqueue_new(worker);
    queue.charge(queue.until_yield_succeeds());
    EXPECT_EQ(queue.yield(), &worker) << name;
    EXPECT_EQ(queue.current(), &worker) << name;
  }
}

TEST(AnyQueue, the_entity_that_a_tick_is_foretold_to_preempt_loses_the_core_then) {
  for (const auto& [name, policy] : policies) {
    Queue queue(*policy);
    Entity first;
    Entity second;
    queue.start_with(first, 0);
    queue.enqueue_new(second);
    const std::int64_t left = queue.until_preempted();
    ASSERT_GT(left, 0) << name;
    queue.charge(left);
    EXPECT_EQ(queue.until_preempted(), 0) << name;
    queue.slice_over();
    EXPECT_EQ(queue.pick(), &second) << name;
  }
}

TEST(Policies, every_policy_has_a_word_of_its_own_and_the_hooks_without_a_default) {
  std::set<std::string> names;
  for (const auto& [name, policy] : policies) {
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_TRUE(policy->pick && policy->until_preempted && policy->preempts && policy->yield) << name;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cpu::test
