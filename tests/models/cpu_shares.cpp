// Shares of more hogs than cores, by kernel version: where the load balance evens them out, and where it does
// not.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/models/cpu_support.hpp"

namespace jostle::cpu::test {
namespace JOSTLE_FILE {

using sim::milliseconds;
using sim::seconds;

struct Hogs {
  std::vector<int> clusters;
  int count = 0;
  std::vector<int> allowed = {};
};

Spec machine_of(const Hogs& hogs, const char* kernel) {
  Spec spec = machine(1, find_kernel(kernel)->buddies ? cfs : eevdf);
  spec.scheduler.kernel = find_kernel(kernel);
  const ClusterSpec cluster = spec.clusters.front();
  spec.clusters.clear();
  for (const int cores : hogs.clusters) {
    spec.clusters.push_back(cluster);
    spec.clusters.back().cores = cores;
  }
  return spec;
}

struct Shares {
  double least = 0, most = 0;  // of a fair share
  std::int64_t migrations = 0;
};

Shares shares_of(const Hogs& hogs, const char* kernel, std::uint64_t seed) {
  Host host(machine_of(hogs, kernel), {.allowed = hogs.allowed}, seed);
  std::vector<ThreadId> threads;
  for (int i = 0; i < hogs.count; ++i) {
    threads.push_back(host.spinner({.name = "hog"}));
    host.run_for(milliseconds(3));
  }
  host.run_for(seconds(60));
  std::vector<double> shares;
  double sum = 0;
  Shares result;
  for (const ThreadId thread : threads) {
    shares.push_back(host.share(thread));
    sum += shares.back();
    result.migrations += host.cpu.statistics(thread).migrations;
  }
  const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
  result.least = *least * hogs.count / sum;
  result.most = *most * hogs.count / sum;
  return result;
}

TEST(CpuShares, of_hogs_on_too_few_cores_are_within_ten_percent_of_fair) {
  for (const char* kernel : {"5.10", "5.10.178", "5.15.108", "6.8", "6.18"}) {
    for (const Hogs& hogs :
         {Hogs{{2}, 3}, Hogs{{4, 2}, 7}, Hogs{{4, 4, 4}, 13}, Hogs{{2, 2, 2}, 7}, Hogs{{4}, 5}}) {
      for (const std::uint64_t seed : {1U, 2U}) {
        const Shares shares = shares_of(hogs, kernel, seed);
        EXPECT_GT(shares.least, 0.9) << kernel << ", " << hogs.count << " hogs";
        EXPECT_LT(shares.most, 1.1) << kernel << ", " << hogs.count << " hogs";
      }
    }
  }
}

TEST(CpuShares, of_seven_and_six_hogs_on_two_equal_clusters_differ_by_what_the_balance_lets_stand) {
  // 7 / 4 over 6 / 4 is 1.167, and the board level moves nothing up to 1.17: the clusters' own shares are
  // 0.93 and 1.08 of fair; within them the hogs take turns.
  for (const char* kernel : {"5.10", "6.18"}) {
    const Shares shares = shares_of({{4, 4}, 13}, kernel, 1);
    EXPECT_GT(shares.least, 0.88) << kernel;
    EXPECT_LT(shares.most, 1.13) << kernel;
  }
}

TEST(CpuShares, of_hogs_confined_to_a_few_cores_stay_unequal_unless_the_kernel_has_the_overflow) {
  const Hogs confined{{4, 2}, 3, {0, 1}};
  for (const char* kernel : {"5.10", "5.15"}) {
    const Shares shares = shares_of(confined, kernel, 1);
    EXPECT_LT(shares.most / shares.least, 1.1) << kernel;
  }
  for (const char* kernel : {"4.9", "5.10.178", "5.15.108", "6.8", "6.18"}) {
    const Shares shares = shares_of(confined, kernel, 1);
    EXPECT_EQ(shares.migrations, 0) << kernel;
    EXPECT_NEAR(shares.most / shares.least, 2, 0.05) << kernel;
  }
}

TEST(CpuShares, no_thread_moves_twice_in_an_instant) {
  Host host(machine_of({{4, 4, 4}, 13}, "5.10"));
  std::vector<ThreadId> threads;
  for (int i = 0; i < 13; ++i) threads.push_back(host.spinner({.name = "hog"}));
  std::vector<std::int64_t> before(threads.size());
  std::int64_t all = 0;
  for (int step = 0; step < 10'000; ++step) {
    host.run_for(milliseconds(1));  // shorter than a tick: at most one tick
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const std::int64_t now = host.cpu.statistics(threads[i]).migrations;
      ASSERT_LE(now - before[i], 1) << "hog " << i << " in millisecond " << step;
      all += now - before[i];
      before[i] = now;
    }
  }
  EXPECT_GT(all, 50);
}

TEST(CpuIsolated, cores_take_only_threads_that_name_them_and_those_stay_on_the_first) {
  Spec spec = two_clusters(2, cfs);
  spec.clusters.back().isolated = true;
  Host host(spec);
  std::vector<ThreadId> free;
  for (int i = 0; i < 6; ++i) free.push_back(host.spinner({.name = "free"}));
  const ThreadId both = host.spinner({.name = "both", .cpus = {1, 2, 3}});
  std::vector<ThreadId> pinned;
  for (int i = 0; i < 2; ++i)
    pinned.push_back(host.worker(milliseconds(3), milliseconds(2), 1000, {.name = "p", .cpus = {2, 3}}));
  const ThreadId placed = host.spinner({.name = "placed", .cpus = {2, 3}, .start_on = 3});
  for (int i = 0; i < 500; ++i) {
    host.run_for(milliseconds(3));
    for (const ThreadId thread : free) EXPECT_LT(host.cpu.core_of(thread), 2);
    EXPECT_EQ(host.cpu.core_of(both), 1);
    for (const ThreadId thread : pinned) EXPECT_EQ(host.cpu.core_of(thread), 2);
    EXPECT_EQ(host.cpu.core_of(placed), 3);
  }
}

TEST(CpuIsolated, cores_may_be_any_of_a_cluster) {
  Spec spec = machine(4, cfs);
  spec.isolated = {1, 3};
  Host host(spec);
  std::vector<ThreadId> free;
  for (int i = 0; i < 4; ++i) free.push_back(host.spinner({.name = "free"}));
  const ThreadId pinned = host.spinner({.name = "pinned", .cpus = {1, 3}});
  for (int i = 0; i < 100; ++i) {
    host.run_for(milliseconds(3));
    for (const ThreadId thread : free) EXPECT_EQ(host.cpu.core_of(thread) % 2, 0);
    EXPECT_EQ(host.cpu.core_of(pinned), 1);
  }
}

TEST(CpuAsymmetric, a_kernel_that_does_not_know_the_capacities_leaves_a_heavy_thread_on_a_small_core) {
  Spec spec = tx2_like();
  spec.scheduler.knows_capacities = false;
  Host host(spec);
  const ThreadId heavy = host.spinner({.name = "heavy", .start_on = 5});
  host.run_for(seconds(1));
  EXPECT_EQ(host.cpu.core_of(heavy), 5);
  EXPECT_NEAR(host.cpu.rate_of(5), 600.0 / 1024, 1e-9) << "it is slow all the same";
}

TEST(CpuLoad, is_of_the_last_tenths_of_a_second_and_stays_with_the_core_while_the_thread_sleeps) {
  for (const bool blocked_counts : {true, false}) {
    Spec spec = machine(2, cfs);
    spec.scheduler.kernel = find_kernel(blocked_counts ? "5.10" : "4.9");
    Host host(spec);
    host.worker(milliseconds(10), milliseconds(10), 50, {.name = "half", .cpus = {0}});
    host.run_for(milliseconds(995));  // it sleeps
    const Machine& m = host.cpu.machine();
    const double half = load_of(m, m.core(0), host.engine.now());
    if (blocked_counts) {
      EXPECT_NEAR(half, 512, 80);
      host.run_for(milliseconds(400));
      EXPECT_LT(load_of(m, m.core(0), host.engine.now()), 5);
    } else {
      EXPECT_EQ(half, 0);
    }
  }
}

TEST(CpuLoad, goes_with_a_thread_that_moves) {
  Host host(machine(2, cfs));
  const ThreadId first = host.spinner({.name = "a", .start_on = 0});
  host.spinner({.name = "b", .start_on = 0});
  host.run_for(seconds(1));
  const Machine& m = host.cpu.machine();
  EXPECT_EQ(load_of(m, m.core(0), host.engine.now()), 1024);
  EXPECT_EQ(load_of(m, m.core(1), host.engine.now()), 1024);
  EXPECT_EQ(load_of(m.threads[first.index], host.engine.now()), 1024);
}

TEST(CpuCapacity, is_that_of_the_cluster_whatever_its_clock) {
  Host host(two_clusters(2, cfs));
  host.cpu.set_cluster_clock(1, 0.25e9);
  EXPECT_EQ(host.cpu.machine().core(2).capacity, 1024);
  EXPECT_NEAR(host.cpu.rate_of(2), 0.25, 1e-9);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cpu::test
