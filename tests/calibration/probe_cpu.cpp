// The experiments on cores and memory, briefly, on the machine of the tests: no time is asserted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>

#include "calibration/probe/clock.hpp"
#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/hogs.hpp"
#include "calibration/probe/refill_sweep.hpp"
#include "calibration/probe/summary.hpp"
#include "calibration/probe/workers.hpp"
#include "tests/calibration/made_up_boards.hpp"
#include "tests/sanitized.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using probe::CpuBench;
using probe::Measured;
using probe::Outcome;
using probe::Summary;
using testing::Contains;
using testing::Each;
using testing::Field;
using testing::Gt;

class ProbeCpu : public testing::Test {
 protected:
  [[nodiscard]] CpuBench bench() const {
    CpuBench made = cpu_bench(session);
    made.pace = 0.05;
    return made;
  }
  static double value_of(const Outcome& outcome, const std::string& parameter) {
    const auto found = std::ranges::find(outcome.parameters, parameter, &Measured::parameter);
    return found != outcome.parameters.end() ? found->value : -1;
  }

  made_up::Tree out;
  std::atomic<bool> interrupted{false};
  probe::Session session{out.root(), "/", true, interrupted, [](double, std::string_view) {}};
};

TEST_F(ProbeCpu, finds_the_clock_and_the_cost_of_a_switch) {
  Outcome outcome;
  measure_clocks(bench(), outcome);
  measure_switch(bench(), outcome);
  EXPECT_THAT(outcome.parameters, Each(Field(&Measured::value, Gt(0))));
  EXPECT_GT(value_of(outcome, "seen.layer_cluster_0"), 0);
#if defined(__x86_64__) || defined(__aarch64__)
  EXPECT_GT(value_of(outcome, "cpu.reference_clock"), 50);
  EXPECT_LT(value_of(outcome, "cpu.reference_clock"), 10'000);
#endif
  for (const std::string& file : outcome.files)
    EXPECT_TRUE(std::filesystem::exists(out.root() / file)) << file;
}

TEST_F(ProbeCpu, sees_hogs_share_a_core) {
  const auto stretches = run_hogs(bench(), 2, 0.6);
  for (const int hog : {0, 1})
    EXPECT_TRUE(std::ranges::any_of(stretches, [&](const auto& stretch) { return stretch.hog == hog; }))
        << hog;
  for (const probe::Stretch& stretch : stretches) EXPECT_GE(stretch.length_ns, 0);
}

TEST_F(ProbeCpu, measures_what_larger_working_sets_lose_or_says_why_not) {
  Outcome outcome;
  measure_migration(bench(), outcome);
  if (bench().cores().size() < 2) {
    EXPECT_FALSE(outcome.problems.empty());
    return;
  }
  EXPECT_THAT(outcome.parameters, Contains(Field(&Measured::samples, Gt(0u))));
  if (bench().clusters.front().cpus.size() < 2 || sanitized) return;  // a sanitizer's loads hide the caches'
  const auto large_costs_more = [&] {
    return value_of(outcome, "seen.refill_migrated_within_4_MiB") >
           value_of(outcome, "seen.refill_migrated_within_16_KiB");
  };
  // Whoever else runs on this machine may hide it in one measurement.
  for (int again = 0; again < 5 && !large_costs_more(); ++again)
    measure_migration(bench(), outcome = Outcome());
  EXPECT_TRUE(large_costs_more());
}

TEST_F(ProbeCpu, moves_bytes_to_and_from_the_memory) {
  const Outcome outcome = probe::cpu_memory(session);
  for (const char* const rate : {"memory.cores.read", "memory.cores.together", "memory.cores.write"})
    EXPECT_GT(value_of(outcome, rate), 0) << rate;
}

TEST_F(ProbeCpu, ends_soon_after_an_interruption) {
  interrupted = true;
  const std::int64_t begin = probe::now_ns();
  (void)probe::cpu(session);
  (void)probe::cpu_memory(session);
  EXPECT_LT(probe::now_ns() - begin, 5'000'000'000);
}

TEST_F(ProbeCpu, takes_the_scheduler_from_the_kernel_where_it_tells) {
  const made_up::Tree tree;
  made_up::tx2(tree);
  tree.write("/proc/sys/kernel/sched_min_granularity_ns", "2250000");
  tree.write("/proc/sys/kernel/sched_migration_cost_ns", "500000");
  const probe::Session made{out.root(), tree.root(), true, interrupted, [](double, std::string_view) {}};
  Outcome outcome;
  read_scheduler_files(cpu_bench(made), outcome);
  EXPECT_DOUBLE_EQ(value_of(outcome, "cpu.scheduler.min_granularity"), 750);  // of six cores: a factor of 3
  EXPECT_DOUBLE_EQ(value_of(outcome, "cpu.scheduler.migration_cost"), 500);
}

TEST(ProbeLoss, has_the_law_that_its_points_follow) {
  std::vector<probe::LossPoint> points;
  for (const double ms : {0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0})
    points.push_back({ms, 70 * (1 - std::exp(-ms / 0.4))});
  const auto law = probe::fit_loss_law(points);
  ASSERT_TRUE(law);
  EXPECT_NEAR(law->time_constant_ms.value, 0.4, 0.01);
  EXPECT_NEAR(law->whole, 70, 1);
  EXPECT_NEAR(law->lost(0.4), 0.63, 0.02);
  EXPECT_LT(law->time_constant_ms.relative_sd, 0.05);
  points[3].debt *= 1.5;
  EXPECT_GT(probe::fit_loss_law(points)->time_constant_ms.relative_sd, 2 * law->time_constant_ms.relative_sd);
}

TEST(ProbeLoss, is_not_known_if_all_is_lost_at_once_or_nothing_ever) {
  EXPECT_FALSE(probe::fit_loss_law({{0.02, 50}, {0.1, 50}, {1, 50}, {8, 50}}));
  EXPECT_FALSE(probe::fit_loss_law({{0.02, 0.02}, {0.1, 0.1}, {1, 1}, {8, 8}}));
  EXPECT_FALSE(probe::fit_loss_law({{0.02, 1}, {0.1, -1}, {1, 50}, {8, 50}}));
  EXPECT_FALSE(probe::fit_loss_law({{0.02, 1}, {0.1, 2}}));
}

TEST(ProbeSummary, of_scattered_samples_has_the_error_of_their_number) {
  std::vector<double> samples;
  for (int i = 0; i < 1000; ++i) samples.push_back(100 + i % 11 - 5);
  const Summary found = probe::median_of(samples);
  EXPECT_EQ(found.value, 100);
  EXPECT_NEAR(found.relative_sd, 1.2533 * 1.4826 * 3 / std::sqrt(1000.0) / 100, 1e-6);
  EXPECT_EQ(probe::median_of({5, 6}).relative_sd, 1);
  EXPECT_NEAR(probe::mean_of(samples).value, 100, 0.1);
  EXPECT_NEAR(probe::ratio_of({1, 2, 4}, {2, 4, 8}).value, 2, 1e-12);
  EXPECT_EQ(probe::quantile({3, 1, 2}, 1), 3);
}

TEST(ProbeWorkers, are_gone_with_their_owner) {
  pid_t left = 0;
  const probe::Shared<std::atomic<int>> pid;
  {
    probe::Workers workers;
    workers.start(-1, [&] {
      *pid = getpid();
      while (true) probe::sleep_ns(10'000'000);
    });
    while (*pid == 0) probe::sleep_ns(1'000'000);
    left = *pid;
    EXPECT_EQ(kill(left, 0), 0);
  }
  EXPECT_EQ(kill(left, 0), -1);
}

TEST(ProbeWorkingSet, is_visited_whole) {
  probe::WorkingSet set(64 * 1024);
  EXPECT_EQ(set.bytes(), 64u * 1024);
  EXPECT_GT(set.timed_pass(), 0);
  const auto all = probe::working_sets(false), few = probe::working_sets(true);
  EXPECT_EQ(all.front(), 16u * 1024);
  EXPECT_EQ(all.back(), 8u * 1024 * 1024);
  EXPECT_LT(few.size(), all.size());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
