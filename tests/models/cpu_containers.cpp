// Containers: the quota of processor time, and shares against what is outside.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/models/cpu_support.hpp"

namespace jostle::cpu::test {
namespace {

using sim::milliseconds;
using sim::seconds;

class Containers : public testing::TestWithParam<NamedPolicy> {
 protected:
  [[nodiscard]] Spec cores(int count) const { return machine(count, *GetParam().policy); }
};

double in_seconds(sim::Duration time) {
  return static_cast<double>(time.ps()) / 1e12;
}

TEST_P(Containers, OneCpuOfQuotaHoldsFourSpinnersAtAQuarterOfACoreEach) {
  Host host(cores(4));
  std::vector<ThreadId> threads;
  for (int i = 0; i < 4; ++i) threads.push_back(host.spinner({.container = {{.name = "a", .cpus = 1.0}}}));
  host.run_for(seconds(20));
  double sum = 0;
  for (const ThreadId thread : threads) {
    EXPECT_NEAR(host.share(thread), 0.25, 0.02);
    // The rest of the time it is held back: 75 ms of every 100.
    EXPECT_NEAR(in_seconds(host.cpu.statistics(thread).throttled), 20 * (1 - host.share(thread)), 0.02);
    sum += host.share(thread);
  }
  EXPECT_NEAR(sum, 1, 0.01);
}

TEST_P(Containers, OneThreadIsThrottledOnceAPeriodForWhatItsQuotaLacks) {
  Host host(cores(2));
  const ThreadId thread = host.spinner({.container = {{.name = "a", .cpus = 0.3}}});
  host.run_for(seconds(1));
  std::vector<double> held;  // ms, of every period
  sim::Duration before = host.cpu.statistics(thread).throttled;
  for (int i = 0; i < 50; ++i) {
    host.run_for(milliseconds(100));
    const sim::Duration now = host.cpu.statistics(thread).throttled;
    held.push_back(1e3 * in_seconds(now - before));
    before = now;
  }
  for (const double ms : held) EXPECT_NEAR(ms, 70, 8.1);  // it notices at its ticks, and pays the next time
  EXPECT_NEAR(host.share(thread), 0.3, 0.01);
}

TEST_P(Containers, AnUnusedQuotaLeavesNoTraceInTheSchedule) {
  const auto run = [&](bool contained, std::optional<double> cpus) {
    Host host(cores(2));
    for (int i = 0; i < 3; ++i) {
      ThreadSpec spec;
      if (contained) spec.container = {{.name = "a", .cpus = cpus}};
      host.worker(milliseconds(3 + i), milliseconds(2), 200, spec);
    }
    host.run_for(seconds(3));
    return host.finished;
  };
  EXPECT_EQ(run(true, 2.0), run(false, {}));
  EXPECT_EQ(run(true, 16.0), run(true, {}));
}

TEST_P(Containers, SharesDivideACoreWhateverTheNumbersOfThreads) {
  for (const auto& [in_a, in_b] : {std::pair{1, 1}, {1, 4}, {5, 2}}) {
    Host host(cores(1));
    std::vector<ThreadId> a, b;
    for (int i = 0; i < in_a; ++i) a.push_back(host.spinner({.container = {{.name = "a"}}}));
    for (int i = 0; i < in_b; ++i) b.push_back(host.spinner({.container = {{.name = "b", .shares = 512}}}));
    host.run_for(seconds(20));
    const auto sum = [&](const std::vector<ThreadId>& threads) {
      double share = 0;
      for (const ThreadId thread : threads) share += host.share(thread);
      return share;
    };
    EXPECT_NEAR(sum(a) / sum(b), 2, 0.06) << in_a << " against " << in_b;
    EXPECT_NEAR(sum(a) + sum(b), 1, 1e-9);
  }
}

TEST_P(Containers, AThreadOutsideWeighsAsMuchAsAWholeContainer) {
  Host host(cores(1));
  const ThreadId alone = host.spinner();
  for (int i = 0; i < 4; ++i) host.spinner({.container = {{.name = "a"}}});
  host.run_for(seconds(10));
  EXPECT_NEAR(host.share(alone), 0.5, 0.02);
}

TEST_P(Containers, SleepersLeaveTheirSharesToTheOthersOfTheContainer) {
  Host host(cores(1));
  const ThreadId busy = host.spinner({.container = {{.name = "a"}}});
  for (int i = 0; i < 3; ++i)
    host.worker(milliseconds(1), seconds(20), 1, {.container = {{.name = "a"}}});  // asleep nearly always
  const ThreadId other = host.spinner({.container = {{.name = "b"}}});
  host.run_for(seconds(10));
  EXPECT_NEAR(host.share(busy) / host.share(other), 1, 0.02);
}

TEST_P(Containers, WhoSleepsNeverExceedsTheQuotaAndWakesIntoAThrottledContainer) {
  Host host(cores(4));
  std::vector<ThreadId> threads;
  for (int i = 0; i < 8; ++i)
    threads.push_back(host.worker(milliseconds(2 + i), milliseconds(1 + i % 3), 1'000'000,
                                  {.container = {{.name = "a", .cpus = 1.5}}}));
  host.spinner();
  host.run_for(seconds(20));
  double sum = 0;
  for (const ThreadId thread : threads) {
    sum += host.share(thread);
    EXPECT_GT(in_seconds(host.cpu.statistics(thread).throttled), 1);
  }
  EXPECT_NEAR(sum, 1.5, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Policies, Containers, testing::ValuesIn(policies),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace jostle::cpu::test
