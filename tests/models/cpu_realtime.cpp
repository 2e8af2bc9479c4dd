// Real-time threads (SCHED_FIFO), and interrupts.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/models/cpu_support.hpp"

namespace jostle::cpu::test {
namespace {

using sim::Duration;
using sim::microseconds;
using sim::milliseconds;
using sim::seconds;

class RealTime : public testing::TestWithParam<NamedPolicy> {
 protected:
  [[nodiscard]] Spec cores(int count) const { return machine(count, *GetParam().policy); }
};

TEST_P(RealTime, AHogGets95PercentOfACoreAndTheOthersTheRest) {
  Host host(cores(1));
  const ThreadId hog = host.spinner({.fifo = 1});
  const ThreadId other = host.spinner();
  host.run_for(seconds(40));
  EXPECT_NEAR(host.share(hog), 0.95, 0.002);
  EXPECT_NEAR(host.share(other), 0.05, 0.002);
  EXPECT_NEAR(static_cast<double>(host.cpu.statistics(hog).throttled.ps()) / 40e12, 0.05, 0.002);
}

TEST_P(RealTime, TheLimitHoldsEvenIfNobodyWantsTheRest) {
  Host host(cores(1));
  const ThreadId hog = host.spinner({.fifo = 1});
  host.run_for(seconds(40));
  EXPECT_NEAR(host.share(hog), 0.95, 0.002);
}

TEST_P(RealTime, AWokenThreadRunsAtOnceAndUndisturbed) {
  Host host(cores(1));
  for (int i = 0; i < 5; ++i) host.spinner({.nice = -20});
  const ThreadId thread = host.worker(milliseconds(7), milliseconds(13), 1000, {.fifo = 50});
  host.run_for(seconds(20));
  ASSERT_EQ(host.finished.size(), 1000u);
  for (std::size_t i = 1; i < host.finished.size(); ++i)
    EXPECT_EQ(host.finished[i] - host.finished[i - 1], milliseconds(20));
  EXPECT_EQ(host.cpu.statistics(thread).involuntary_switches, 0);
}

TEST_P(RealTime, TheHigherPriorityGoesFirstAndEqualOnesInOrderOfArrival) {
  Host host(cores(1));
  const ThreadId low = host.spinner({.fifo = 10});
  const ThreadId equal = host.spinner({.fifo = 10});
  const ThreadId high = host.worker(milliseconds(10), milliseconds(10), 1000, {.fifo = 11});
  host.run_for(milliseconds(900));
  EXPECT_NEAR(host.share(high), 0.5, 0.01);
  EXPECT_NEAR(host.share(low), 0.5, 0.01);
  EXPECT_EQ(host.share(equal), 0);  // no time slice
}

TEST_P(RealTime, OnesThatYieldTakeTurns) {
  Host host(cores(1));
  const ThreadId spinner = host.spinner({.fifo = 10});
  const ThreadId yielder = host.yielder({.fifo = 10, .start_on = 0});
  host.run_for(milliseconds(500));
  EXPECT_GT(host.share(spinner), 0.99);
  EXPECT_LT(host.share(yielder), 0.01);
}

TEST_P(RealTime, ThreadsArePushedToCoresThatRunLessImportantOnes) {
  Host host(cores(3));
  std::vector<ThreadId> important, others;
  for (int i = 0; i < 3; ++i) others.push_back(host.spinner({.start_on = i}));
  for (int i = 0; i < 2; ++i) important.push_back(host.spinner({.fifo = 10 + i, .start_on = 0}));
  host.run_for(milliseconds(900));
  for (const ThreadId thread : important) EXPECT_GT(host.share(thread), 0.99);
  double rest = 0;
  for (const ThreadId thread : others) rest += host.share(thread);
  EXPECT_NEAR(rest, 1, 0.02);
}

TEST_P(RealTime, ACoreThatRunsOutOfThemPullsOneThatWaitsElsewhere) {
  Host host(cores(2));
  host.worker(milliseconds(50), seconds(100), 1, {.fifo = 30, .start_on = 1});
  host.spinner({.fifo = 20, .start_on = 0});
  const ThreadId waiting = host.spinner({.fifo = 10, .start_on = 0});
  host.run_for(milliseconds(500));
  EXPECT_NEAR(host.share(waiting), 0.9, 0.01);
  EXPECT_EQ(host.cpu.core_of(waiting), 1);
}

INSTANTIATE_TEST_SUITE_P(Policies, RealTime, testing::ValuesIn(policies),
                         [](const auto& tested) { return tested.param.name; });

class Interrupted : public RealTime {};

TEST_P(Interrupted, WorkTakesAsMuchLongerAsInterruptsTake) {
  for (const int fifo : {0, 50}) {
    Host host(cores(1));
    host.cpu.set_interrupts(0, 0.2, 1000);
    host.worker(milliseconds(80), microseconds(1), 1, {.fifo = fifo});
    host.run_for(seconds(1));
    ASSERT_EQ(host.finished.size(), 1u);
    EXPECT_NEAR(sim::to_seconds(host.finished[0] - sim::Time::zero()), 0.1, 0.0003);
  }
}

TEST_P(Interrupted, TheyTakeFromAllThreadsOfTheCoreAlikeAndFromNoOther) {
  Host host(cores(2));
  host.cpu.set_interrupts(0, 0.1, 500);
  const ThreadId a = host.spinner({.cpus = {0}});
  const ThreadId b = host.spinner({.cpus = {0}});
  const ThreadId c = host.spinner({.cpus = {1}});
  host.run_for(seconds(10));
  EXPECT_NEAR(host.share(a), host.share(b), 0.01);
  EXPECT_EQ(host.share(c), 1);
  EXPECT_NEAR(sim::to_seconds(host.cpu.core_statistics(0).interrupted), 1, 0.003);
}

TEST_P(Interrupted, AnIdleCoreIsBusyForTheirTime) {
  Host host(cores(1));
  host.cpu.set_interrupts(0, 0.05, 1000);
  host.worker(milliseconds(1), milliseconds(10), 3);
  host.run_for(seconds(10));
  EXPECT_NEAR(sim::to_seconds(host.cpu.core_statistics(0).busy), 0.5 + 0.003, 0.001);
}

INSTANTIATE_TEST_SUITE_P(Policies, Interrupted, testing::ValuesIn(policies),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace jostle::cpu::test
