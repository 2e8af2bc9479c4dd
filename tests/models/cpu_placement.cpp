// Where threads go: placement, affinity, balance between cores and clusters, and unequal cores.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/models/cpu_support.hpp"

namespace jostle::cpu::test {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::microseconds;
using sim::milliseconds;
using sim::seconds;

std::map<int, int> threads_per_core(const Host& host, const std::vector<ThreadId>& threads) {
  std::map<int, int> count;
  for (const ThreadId thread : threads) ++count[host.cpu.core_of(thread)];
  return count;
}

TEST(CpuPlacement, new_threads_fill_idle_cores_first_and_then_the_least_loaded) {
  Host host(machine(16, eevdf), {.allowed = {0, 1, 2}});
  std::vector<ThreadId> threads;
  for (int i = 0; i < 8; ++i) threads.push_back(host.spinner({.name = std::to_string(i)}));
  host.run_for(milliseconds(1));
  EXPECT_EQ(threads_per_core(host, threads), (std::map<int, int>{{0, 3}, {1, 3}, {2, 2}}));
}

TEST(CpuPlacement, a_new_thread_goes_to_the_cluster_with_most_idle_cores) {
  Spec spec = two_clusters(2, cfs);
  spec.clusters[1].cores = 4;
  Host host(spec);
  std::vector<ThreadId> threads;
  for (int i = 0; i < 3; ++i) threads.push_back(host.spinner({.name = std::to_string(i)}));
  host.run_for(milliseconds(1));
  EXPECT_EQ(threads_per_core(host, threads), (std::map<int, int>{{2, 1}, {3, 1}, {0, 1}}));
}

TEST(CpuPlacement, a_woken_thread_takes_an_idle_core_of_its_cluster_rather_than_wait) {
  Host host(two_clusters(2, cfs));
  const ThreadId sleeper =
      host.worker(microseconds(10), milliseconds(20), 2, {.name = "sleeper", .start_on = 0});
  host.run_for(milliseconds(1));
  host.spinner({.name = "spinner", .cpus = {0}});
  host.run_for(milliseconds(25));
  EXPECT_EQ(host.cpu.core_of(sleeper), 1);
}

TEST(CpuPlacement, a_woken_thread_does_not_look_beyond_its_cluster) {
  Host host(two_clusters(2, cfs));
  const ThreadId sleeper =
      host.worker(microseconds(10), milliseconds(20), 2, {.name = "sleeper", .start_on = 0});
  host.run_for(milliseconds(1));
  host.spinner({.name = "a", .cpus = {0}});
  host.spinner({.name = "b", .cpus = {1}});
  host.run_for(milliseconds(19.5));
  EXPECT_LT(host.cpu.core_of(sleeper), 2);
}

TEST(CpuPlacement, a_woken_thread_follows_its_waker_to_an_idle_core_of_another_cluster_if_its_own_is_busier) {
  Host host(two_clusters(2, cfs));
  const ThreadId thread = host.cpu.create_thread({.name = "thread", .start_on = 0});
  host.engine.spawn(
      [](Cpu& cpu, ThreadId id) -> sim::Process {
        co_await cpu.run(id, microseconds(1));
        co_await cpu.sleep(id);
        co_await cpu.run(id, milliseconds(100));
      }(host.cpu, thread),
      "thread", sim::Role::daemon);
  host.run_for(milliseconds(1));
  host.spinner({.name = "a", .cpus = {0}});
  host.run_for(milliseconds(1));
  EXPECT_TRUE(host.cpu.wake(thread, 2));
  EXPECT_FALSE(host.cpu.wake(thread, 2)) << "it is awake";
  EXPECT_EQ(host.cpu.core_of(thread), 2);
}

TEST(CpuPlacement, affinity_is_respected_whatever_the_load) {
  for (const auto& [name, policy] : policies) {
    Host host(two_clusters(4, *policy), {.allowed = {1, 2, 5}});
    std::vector<ThreadId> pinned;
    std::vector<ThreadId> confined;
    for (int i = 0; i < 5; ++i) {
      pinned.push_back(
          host.worker(microseconds(700), microseconds(300), 100'000, {.name = "p", .cpus = {3}}));
      confined.push_back(host.worker(microseconds(800), microseconds(900), 100'000, {.name = "c"}));
    }
    for (int i = 0; i < 500; ++i) {
      host.run_for(microseconds(777));
      for (const ThreadId t : pinned) EXPECT_EQ(host.cpu.core_of(t), 3);
      for (const ThreadId t : confined) EXPECT_TRUE(host.cpu.allowed().contains(host.cpu.core_of(t)));
    }
  }
}

// Measured on the H200 host: eight processes confined to 3 of 16 cores stayed 1 + 1 + 6 for whole runs.
TEST(CpuBalance, threads_confined_to_busy_cores_stay_as_unevenly_spread_as_they_are) {
  Host host(machine(16, eevdf), {.allowed = {0, 1, 2}});
  std::vector<ThreadId> threads;
  for (int i = 0; i < 8; ++i) {
    threads.push_back(host.spinner({.name = std::to_string(i), .start_on = i < 6 ? 2 : i - 6}));
  }
  host.run_for(seconds(10));
  EXPECT_EQ(threads_per_core(host, threads), (std::map<int, int>{{0, 1}, {1, 1}, {2, 6}}));
  EXPECT_EQ(host.cpu.statistics(threads[0]).migrations, 0);
}

TEST(CpuBalance, a_core_below_the_average_load_of_its_domain_does_pull) {
  // The same 1 + 1 + 6, but the 16 cores are as loaded on average: thirteen others carry five threads each.
  Host host(machine(16, eevdf));
  std::vector<ThreadId> threads;
  for (int i = 0; i < 8; ++i) {
    threads.push_back(
        host.spinner({.name = std::to_string(i), .cpus = {0, 1, 2}, .start_on = i < 6 ? 2 : i - 6}));
  }
  for (int i = 0; i < 13 * 5; ++i) host.spinner({.name = "other", .cpus = {3 + i % 13}});
  host.run_for(seconds(10));
  EXPECT_GT(threads_per_core(host, threads)[0], 1);
  EXPECT_LT(threads_per_core(host, threads)[2], 6);
}

TEST(CpuBalance, an_idle_allowed_core_pulls_from_a_crowded_one) {
  Host host(machine(16, eevdf), {.allowed = {0, 1, 2}});
  std::vector<ThreadId> threads;
  for (int i = 0; i < 4; ++i) threads.push_back(host.spinner({.name = std::to_string(i), .start_on = 1}));
  host.run_for(milliseconds(100));
  const auto spread = threads_per_core(host, threads);
  EXPECT_EQ(spread.size(), 3U) << "no allowed core stays idle";
}

TEST(CpuBalance, the_same_imbalance_is_evened_out_where_all_cores_are_allowed) {
  Host host(machine(3, eevdf));
  std::vector<ThreadId> threads;
  for (int i = 0; i < 8; ++i) {
    threads.push_back(host.spinner({.name = std::to_string(i), .start_on = i < 6 ? 2 : i - 6}));
  }
  host.run_for(seconds(2));
  for (const auto& [core, count] : threads_per_core(host, threads)) {
    EXPECT_GE(count, 2) << core;
    EXPECT_LE(count, 3) << core;
  }
}

TEST(CpuBalance, a_core_about_to_idle_takes_a_waiting_thread_at_once) {
  Host host(machine(2, cfs));
  host.spinner({.name = "a", .start_on = 0});
  const ThreadId waiting = host.spinner({.name = "b", .start_on = 0});
  host.worker(milliseconds(5), seconds(1), 1, {.name = "leaves core 1", .start_on = 1});
  host.run_for(milliseconds(4.9));
  EXPECT_EQ(host.cpu.core_of(waiting), 0);
  host.run_for(milliseconds(0.1));
  EXPECT_EQ(host.cpu.statistics(waiting).migrations + host.cpu.statistics({0}).migrations, 1);
}

TEST(CpuBalance, a_core_that_idles_only_for_moments_does_not_bother_to_pull) {
  // Sleeps of 0.1 ms leave an average idle time below the cost of a migration; of 5 ms, above.
  const auto pulled = [](sim::Duration pause) {
    Host host(machine(2, cfs));
    host.worker(microseconds(100), pause, 1'000'000, {.name = "restless", .cpus = {1}});
    host.run_for(milliseconds(50));
    std::vector<ThreadId> threads;
    for (int i = 0; i < 2; ++i) threads.push_back(host.spinner({.name = "spinner", .start_on = 0}));
    host.run_for(milliseconds(6));
    return host.cpu.statistics(threads[0]).migrations + host.cpu.statistics(threads[1]).migrations;
  };
  // (Before the first periodic balance of the idle core, that is.)
  EXPECT_EQ(pulled(microseconds(100)), 0);
  EXPECT_EQ(pulled(milliseconds(5)), 1);
}

TEST(CpuBalance, a_thread_that_ran_a_moment_ago_is_left_where_its_cache_is) {
  // Core 1 idles 0.2 ms after `first` was switched out on core 0.
  const auto migrations = [](sim::Duration cache_hot_for) {
    Spec spec = machine(2, eevdf);
    spec.scheduler.cache_hot_for = cache_hot_for;
    Host host(spec);
    Flag leave;
    const ThreadId leaver = host.cpu.create_thread({.name = "leaves core 1", .cpus = {1}});
    host.engine.spawn(
        [](Cpu& cpu, ThreadId id, Flag& flag) -> sim::Process {
          co_await cpu.spin(id, flag, {});
          cpu.retire(id);
        }(host.cpu, leaver, leave),
        "leaver", sim::Role::daemon);
    const ThreadId first = host.spinner({.name = "first", .start_on = 0});
    host.spinner({.name = "second", .cpus = {0}});
    host.run_for(microseconds(10));
    while (host.cpu.state(first) == State::runnable) host.run_for(microseconds(10));
    while (host.cpu.state(first) != State::runnable) host.run_for(microseconds(10));
    host.run_for(milliseconds(0.2));
    leave.set();
    host.run_for(milliseconds(0.1));
    return host.cpu.statistics(first).migrations;
  };
  EXPECT_EQ(migrations(milliseconds(0.5)), 0);
  EXPECT_EQ(migrations(milliseconds(0.1)), 1);
}

TEST(CpuBalance, threads_too_many_for_a_cluster_spill_to_the_other) {
  Host host(two_clusters(2, cfs));
  std::vector<ThreadId> threads;
  for (int i = 0; i < 4; ++i) threads.push_back(host.spinner({.name = std::to_string(i), .start_on = i % 2}));
  host.run_for(seconds(1));
  EXPECT_EQ(threads_per_core(host, threads), (std::map<int, int>{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
}

TEST(CpuAsymmetric, the_heaviest_thread_of_an_idle_board_ends_on_a_big_core) {
  Host host(tx2_like());
  // Light threads first; the heavy one starts small.
  for (int i = 0; i < 3; ++i) {
    host.worker(microseconds(200), milliseconds(20), 1000, {.name = "light", .start_on = 2 + i});
  }
  const ThreadId heavy = host.spinner({.name = "heavy", .start_on = 5});
  EXPECT_EQ(host.cpu.state(heavy), State::sleeping);
  host.run_for(milliseconds(1));
  EXPECT_EQ(host.cpu.core_of(heavy), 5);
  host.run_for(seconds(1));
  EXPECT_LT(host.cpu.core_of(heavy), 2);
}

TEST(CpuAsymmetric, a_light_thread_wakes_where_it_was_and_a_heavy_one_on_a_core_that_fits) {
  Host host(tx2_like());
  const ThreadId light =
      host.worker(microseconds(100), milliseconds(10), 1000, {.name = "light", .start_on = 3});
  const ThreadId heavy =
      host.worker(milliseconds(100), microseconds(200), 1000, {.name = "heavy", .start_on = 4});
  host.run_for(seconds(1));
  EXPECT_EQ(host.cpu.core_of(light), 3);
  EXPECT_LT(host.cpu.core_of(heavy), 2);
}

TEST(CpuAsymmetric, small_cores_are_slower_by_their_capacity) {
  Host host(tx2_like());
  host.worker(milliseconds(3), {}, 1, {.name = "small", .cpus = {2}});
  host.run_for(seconds(1));
  EXPECT_EQ(host.finished.at(0), sim::Time::zero() + sim::time_for(milliseconds(3), 600.0 / 1024));
}

TEST(CpuAsymmetric, equal_cores_never_move_a_thread_for_being_heavy) {
  Host host(two_clusters(2, cfs));
  const ThreadId heavy = host.spinner({.name = "heavy", .start_on = 2});
  host.run_for(seconds(1));
  EXPECT_EQ(host.cpu.core_of(heavy), 2);
}

TEST(CpuConfinement, offline_cores_take_no_part) {
  Host host(machine(8, cfs), {.online = {0, 1, 2}});
  std::vector<ThreadId> threads;
  for (int i = 0; i < 6; ++i) threads.push_back(host.spinner({.name = std::to_string(i)}));
  host.run_for(seconds(1));
  EXPECT_EQ(threads_per_core(host, threads).size(), 3U);
  EXPECT_THROW(host.cpu.create_thread({.name = "x", .cpus = {5}}), std::invalid_argument);
}

TEST(CpuConfinement, more_online_cores_scale_the_parameters_of_the_policy_and_nothing_else) {
  const SchedulerSpec older = machine(1, cfs).scheduler;
  EXPECT_EQ(older.scaled(1).latency, milliseconds(6));
  EXPECT_EQ(older.scaled(3).latency, milliseconds(12));
  EXPECT_EQ(older.scaled(6).latency, milliseconds(18));
  EXPECT_EQ(older.scaled(6).min_granularity, milliseconds(2.25));
  EXPECT_EQ(older.scaled(6).wakeup_granularity, milliseconds(3));
  const SchedulerSpec newer = machine(1, eevdf).scheduler;
  EXPECT_EQ(newer.scaled(16).base_slice, milliseconds(3));
  EXPECT_EQ(newer.scaled(16).tick, milliseconds(4));
  EXPECT_EQ(newer.scaled(16).cache_hot_for, milliseconds(0.5));
}

TEST(CpuConfinement, impossible_specs_are_refused) {
  const auto refuses = [](auto&& spoil) {
    Spec spec = machine(2, cfs);
    spoil(spec);
    EXPECT_THROW(Host{spec}, std::invalid_argument);
  };
  refuses([](Spec& s) { s.clusters.clear(); });
  refuses([](Spec& s) { s.clusters[0].cores = 0; });
  refuses([](Spec& s) { s.clusters[0].cores = 257; });
  refuses([](Spec& s) { s.clusters[0].capacity = 0; });
  refuses([](Spec& s) { s.scheduler.tick = {}; });
  refuses([](Spec& s) { s.costs.speed_while_refilling = 1; });
  refuses([](Spec& s) { s.clusters[0].max_clock_hz = 0; });
  EXPECT_THROW(Host(machine(2, cfs), {.allowed = {2}}), std::invalid_argument);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cpu::test
