// Frequency governors against their published arithmetic and against laws that any of them keeps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/power/governors/cpu_governors.hpp"
#include "models/power/governors/emc_scaling.hpp"
#include "models/power/governors/gpu_governors.hpp"
#include "models/power/governors/schedutil.hpp"

namespace jostle::power {
namespace JOSTLE_FILE {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr double mhz = 1e6;

OppTable in_mhz(std::vector<double> table, double min, double max) {
  for (double& hz : table) hz *= mhz;
  return {table, min * mhz, max * mhz};
}
// Jetson Orin Nano Super.
OppTable gpu_table() {
  return in_mhz({306, 408, 510, 612, 714, 816, 918, 1020}, 306, 1020);
}
OppTable cpu_table() {
  std::vector<double> table;
  for (int i = 0; i <= 21; ++i) table.push_back(115.2 + 76.8 * i);
  return in_mhz(table, 729.6, 1728);
}
constexpr double cpu_max_hz = 1728e6;
OppTable emc_table() {
  return in_mhz({204, 665.6, 2133, 3199}, 204, 3199);
}

// --- the table ---

TEST(OppTable, RoundsWithinItsLimits) {
  const OppTable t = in_mhz({100, 200, 300, 400}, 150, 350);
  EXPECT_EQ(t.lowest(), 200 * mhz);
  EXPECT_EQ(t.at_least(0), 200 * mhz);
  EXPECT_EQ(t.at_least(200 * mhz), 200 * mhz);
  EXPECT_EQ(t.at_least(200.1 * mhz), 300 * mhz);
  EXPECT_EQ(t.at_least(301 * mhz), 350 * mhz);
  EXPECT_EQ(t.at_least(900 * mhz), 350 * mhz);
  EXPECT_EQ(t.at_most(349 * mhz), 300 * mhz);
  EXPECT_EQ(t.at_most(350 * mhz), 350 * mhz);
  EXPECT_EQ(t.at_most(199 * mhz), 200 * mhz);
  EXPECT_EQ(t.at_most(10 * mhz), 200 * mhz);
  EXPECT_EQ(t.nearest(240 * mhz), 200 * mhz);
  EXPECT_EQ(t.nearest(250 * mhz), 200 * mhz);
  EXPECT_EQ(t.nearest(260 * mhz), 300 * mhz);
}

TEST(OppTable, AdmitsALimitThatIsNoEntry) {
  const OppTable t = in_mhz({306, 408, 510, 612}, 306, 624.75);
  EXPECT_EQ(t.at_least(613 * mhz), 624.75 * mhz);
  EXPECT_EQ(t.step_up(612 * mhz), 624.75 * mhz);
  EXPECT_EQ(t.step_up(624.75 * mhz), 624.75 * mhz);
  EXPECT_EQ(t.step_down(624.75 * mhz), 612 * mhz);
  EXPECT_EQ(t.step_down(624.75 * mhz, 3), 408 * mhz);
  EXPECT_EQ(t.step_down(306 * mhz, 3), 306 * mhz);
  EXPECT_EQ(t.step_up(306 * mhz, 2), 510 * mhz);
}

TEST(OppTable, WithoutEntriesIsItsLimit) {
  const OppTable t{{}, 1e6, 5e6};
  for (const double hz : {0.0, 1e6, 3e6, 9e6}) {
    EXPECT_EQ(t.at_least(hz), 5e6);
    EXPECT_EQ(t.at_most(hz), 5e6);
    EXPECT_EQ(t.nearest(hz), 5e6);
  }
}

TEST(OppTable, LetsTheUpperLimitWinOverTheLower) {
  const OppTable t = in_mhz({100, 200, 300}, 300, 200);
  EXPECT_EQ(t.lowest(), 200 * mhz);
  EXPECT_EQ(t.at_most(150 * mhz), 200 * mhz);
  EXPECT_EQ(t.at_least(150 * mhz), 200 * mhz);
}

// --- what a domain does under a governor ---

constexpr int gpu_poll_us = 25000;

// A GPU whose clock follows at once. Demand in MHz: what it would be busy with all the time.
class Gpu {
 public:
  Gpu(std::string_view governor, const GpuSettings& settings = {}, OppTable table = gpu_table())
      : scaling_(*gpu_governor(governor), std::move(table), settings, 0), hz_(scaling_.start()) {}

  double poll(double demand_mhz, bool suspended = false) {
    now_ += sim::microseconds(gpu_poll_us);
    // Whole microseconds, as the driver counts them.
    const auto busy_us =
        static_cast<std::int64_t>(std::min(1.0, demand_mhz * mhz / hz_) * gpu_poll_us + 1e-6);
    GpuReading reading;
    reading.now = now_;
    reading.elapsed = sim::microseconds(gpu_poll_us);
    reading.busy = sim::Duration{busy_us * 1'000'000};
    reading.hz = hz_;
    reading.suspended = suspended;
    return hz_ = scaling_.poll(reading);
  }
  std::vector<double> polls(int n, double demand_mhz) {
    std::vector<double> result;
    for (int i = 0; i < n; ++i) result.push_back(poll(demand_mhz) / mhz);
    return result;
  }
  double settled(double demand_mhz) { return polls(400, demand_mhz).back(); }
  [[nodiscard]] double hz() const { return hz_; }

 private:
  GpuScaling scaling_;
  double hz_;
  sim::Time now_;
};

constexpr double saturated = 1e6;  // MHz: more than any clock

GpuSettings podgov(Podgov build) {
  GpuSettings settings;
  settings.podgov.build = build;
  return settings;
}

struct Change {
  int poll;
  double to;
  bool operator==(const Change&) const = default;
};
std::vector<Change> changes(double from, const std::vector<double>& clocks) {
  std::vector<Change> result;
  for (std::size_t i = 0; i < clocks.size(); ++i) {
    if (clocks[i] != from) result.push_back({static_cast<int>(i) + 1, clocks[i]});
    from = clocks[i];
  }
  return result;
}

// --- nvhost_podgov: the clocks are a re-computation of the driver's arithmetic by another program ---

TEST(Podgov, ReachesTheTopInTwoBlockWindows) {
  for (const Podgov build : {Podgov::r35, Podgov::r36}) {
    Gpu gpu("nvhost_podgov", podgov(build));
    EXPECT_THAT(gpu.polls(8, saturated), ElementsAre(306, 714, 714, 1020, 1020, 1020, 1020, 1020));
  }
}
TEST(Podgov, OfJetPack6StepsDownOverHalfASecond) {
  Gpu gpu("nvhost_podgov", podgov(Podgov::r36));
  gpu.polls(160, saturated);
  EXPECT_EQ(changes(1020, gpu.polls(160, 0)),
            (std::vector<Change>{{7, 918}, {9, 816}, {12, 714}, {14, 612}, {17, 510}, {21, 408}, {26, 306}}));
}
TEST(Podgov, OfJetPack5HoldsForAHundredPolls) {
  Gpu gpu("nvhost_podgov", podgov(Podgov::r35));
  gpu.polls(160, saturated);
  EXPECT_EQ(changes(1020, gpu.polls(160, 0)),
            (std::vector<Change>{{100, 612}, {102, 510}, {104, 408}, {108, 306}}));
}
TEST(Podgov, ClimbsUnderAConstantDemandPollByPoll) {
  Gpu r36("nvhost_podgov", podgov(Podgov::r36));
  EXPECT_EQ(changes(306, r36.polls(60, 450)), (std::vector<Change>{{2, 714},
                                                                   {4, 306},
                                                                   {6, 714},
                                                                   {8, 408},
                                                                   {10, 816},
                                                                   {12, 408},
                                                                   {14, 816},
                                                                   {16, 510},
                                                                   {25, 612},
                                                                   {45, 714}}));
  Gpu r35("nvhost_podgov", podgov(Podgov::r35));
  EXPECT_EQ(changes(306, r35.polls(60, 450)), (std::vector<Change>{{2, 714}, {4, 510}, {9, 612}, {27, 714}}));
}

TEST(Podgov, SettlesWhereTheLoadIsBelowItsTarget) {
  const std::vector<std::pair<double, double>> table{{150, 306}, {250, 408}, {350, 510},
                                                     {450, 714}, {550, 816}, {700, 1020}};
  for (const auto& [demand, clock] : table) {
    Gpu gpu("nvhost_podgov");
    EXPECT_EQ(gpu.settled(demand), clock) << demand;
  }
}

TEST(Podgov, FallsToTheLowestClockWhenTheGpuLosesPower) {
  for (const Podgov build : {Podgov::r35, Podgov::r36}) {
    Gpu gpu("nvhost_podgov", podgov(build));
    gpu.polls(160, saturated);
    EXPECT_EQ(gpu.poll(0, true), 306 * mhz);
    // Nothing of the load before is in its history any more.
    EXPECT_THAT(gpu.polls(1, 0), Each(306));
    if (build == Podgov::r35) {
      EXPECT_THAT(gpu.polls(200, 100), Each(306));
    }
  }
}

TEST(Podgov, OfJetPack7MovesByEntries) {
  Gpu gpu("nvhost_podgov", podgov(Podgov::r38));
  EXPECT_EQ(gpu.poll(saturated), 1020 * mhz);  // over load_max: at once
  gpu.polls(100, saturated);
  // Average 999, 874, ... falls under load_target - load_margin = 600 with the fourth idle poll (585).
  EXPECT_THAT(gpu.polls(7, 0), ElementsAre(1020, 1020, 1020, 918, 816, 714, 612));
  Gpu half("nvhost_podgov", podgov(Podgov::r38));
  half.polls(100, 220);             // 719 of 306 MHz: above the target, so four entries up,
  EXPECT_LT(half.hz(), 714 * mhz);  // where the load is too low, so down again
  EXPECT_GE(half.hz(), 306 * mhz);
}

TEST(GpuGovernors, NeedMoreThanTheBlockWindowBetweenTwoChanges) {
  for (const char* governor : {"nvhost_podgov", "wmark_active"}) {
    Gpu gpu(governor);
    int since = 2;
    for (int i = 0; i < 300; ++i) {
      const double before = gpu.hz();
      gpu.poll(i % 7 < 3 ? saturated : 40.0 * (i % 11));
      ++since;
      if (gpu.hz() == before) continue;
      EXPECT_GE(since, 2) << i;
      since = 0;
    }
  }
}

TEST(WmarkActive, StaysBetweenItsWatermarks) {
  // At 510 MHz they are 408 / 510 x 700 = 560 and 612 / 510 x 700 = 840.
  Gpu gpu("wmark_active");
  EXPECT_EQ(gpu.settled(300), 510);  // 980 of 306: above load_max, so towards the top; 588 of 510: inside
  EXPECT_THAT(gpu.polls(100, 290), Each(510));
  EXPECT_THAT(gpu.polls(100, 425), Each(510));
  EXPECT_EQ(gpu.settled(200), 306);
}

TEST(WmarkActive, GoesToTheTopWhenSaturatedAndToTheBottomWhenIdle) {
  Gpu gpu("wmark_active");
  EXPECT_EQ(gpu.settled(saturated), 1020);
  EXPECT_EQ(gpu.settled(0), 306);
}

TEST(SimpleOndemand, JumpsHoldsAndFollows) {
  Gpu gpu("simple_ondemand");
  EXPECT_EQ(gpu.poll(306 * 0.91), 1020 * mhz);
  EXPECT_EQ(gpu.poll(1020 * 0.87), 1020 * mhz);  // between 85 and 90 %
  EXPECT_EQ(gpu.poll(1020 * 0.50), 612 * mhz);   // 510 / 0.88 = 579.5
  EXPECT_EQ(gpu.poll(0), 306 * mhz);
}

TEST(GpuGovernors, ThatPinHoldTheirClockWithoutPolls) {
  const auto start = [](std::string_view governor, double hz = 0) {
    GpuSettings settings;
    settings.userspace_hz = hz;
    const GpuScaling scaling(*gpu_governor(governor), gpu_table(), settings, 0);
    EXPECT_EQ(scaling.interval(), sim::Duration::zero());
    return scaling.start() / mhz;
  };
  EXPECT_EQ(start("performance"), 1020);
  EXPECT_EQ(start("powersave"), 306);
  EXPECT_EQ(start("userspace"), 1020);
  EXPECT_EQ(start("userspace", 500 * mhz), 510);
}

bool stands_on(const OppTable& table, double hz) {
  return hz == table.max_hz || (hz >= table.min_hz && hz <= table.max_hz &&
                                std::find(table.hz.begin(), table.hz.end(), hz) != table.hz.end());
}

RC_GTEST_PROP(GpuGovernors, StayOnTheTableAndWithinItsLimits, ()) {
  const std::string_view governor =
      gpu_governors()[*rc::gen::inRange<std::size_t>(0, gpu_governors().size())].name;
  OppTable table = gpu_table();
  const int low = *rc::gen::inRange(306, 700), high = *rc::gen::inRange(low, 1100);
  table.min_hz = low * mhz;
  table.max_hz = high * mhz;
  Gpu gpu(governor, podgov(*rc::gen::elementOf(std::vector{Podgov::r35, Podgov::r36, Podgov::r38})), table);
  RC_ASSERT(stands_on(table, gpu.hz()));
  for (int i = 0; i < 100; ++i) {
    gpu.poll(*rc::gen::inRange(0, 1200), *rc::gen::inRange(0, 20) == 0);
    RC_ASSERT(stands_on(table, gpu.hz()));
  }
}

TEST(GpuGovernors, NeverSettleLowerUnderMoreDemand) {
  for (const GpuGovernor& governor : gpu_governors()) {
    for (const Podgov build : {Podgov::r35, Podgov::r36}) {
      double before = 0;
      for (int demand = 0; demand <= 1100; demand += 10) {
        Gpu gpu(governor.name, podgov(build));
        const double clock = gpu.settled(demand);
        EXPECT_GE(clock, before) << governor.name << ' ' << demand;
        before = clock;
      }
    }
  }
}

// --- CPU ---

// A cluster whose clock follows at once; each core asks for so many MHz.
class Cluster {
 public:
  Cluster(std::string_view governor, const CpuSettings& settings = {}, OppTable table = cpu_table())
      : scaling_(*cpu_governor(governor), std::move(table), settings, cpu_max_hz), hz_(scaling_.start()) {}

  double poll(const std::vector<double>& demands_mhz) {
    std::vector<double> busy;
    for (const double demand : demands_mhz) busy.push_back(std::min(1.0, demand * mhz / hz_));
    const sim::Duration elapsed =
        scaling_.interval() > sim::Duration::zero() ? scaling_.interval() : sim::milliseconds(10);
    return hz_ = scaling_.poll({elapsed, hz_, busy});
  }
  std::vector<double> polls(int n, const std::vector<double>& demands_mhz) {
    std::vector<double> result;
    for (int i = 0; i < n; ++i) result.push_back(poll(demands_mhz));
    return result;
  }
  double settled(double demand_mhz) { return polls(400, {demand_mhz, 0, demand_mhz / 2}).back(); }
  [[nodiscard]] double hz() const { return hz_; }

 private:
  CpuScaling scaling_;
  double hz_;
};

RC_GTEST_PROP(Schedutil, SettlesAtTheLeastClockThatLeavesAFifthFree, ()) {
  const double demand = *rc::gen::inRange(0, 2000);
  CpuSettings settings;
  settings.schedutil.scaled_time = *rc::gen::arbitrary<bool>();
  Cluster cluster("schedutil", settings);
  const OppTable table = cpu_table();
  RC_ASSERT(cluster.settled(demand) == table.at_least(1.25 * demand * mhz));
}

TEST(Schedutil, SumsUpItsHistoryWithAHalfLife) {
  CpuSettings settings;
  Schedutil governor(settings.schedutil, cpu_max_hz);
  const std::vector<double> busy{0.5, 0};
  // Half busy at full clock for one half life: half of half; 1.25 x 0.25 of the maximum.
  EXPECT_NEAR(governor.next(sim::milliseconds(32), cpu_max_hz, busy), 1.25 * 0.25 * cpu_max_hz, 1);
  const std::vector<double> idle{0, 0};
  EXPECT_NEAR(governor.next(sim::milliseconds(64), cpu_max_hz, idle), 1.25 * 0.0625 * cpu_max_hz, 1);
}

TEST(Schedutil, RaisesTheClockForWhatThreadsWereLastSeenToNeed) {
  CpuSettings settings;
  Schedutil governor(settings.schedutil, cpu_max_hz);
  const std::vector<double> idle{0, 0}, estimated{0.1, 0.6};
  EXPECT_NEAR(governor.next(sim::milliseconds(10), cpu_max_hz, idle, estimated), 1.25 * 0.6 * cpu_max_hz, 1);
  const std::vector<double> crowd{3.0, 0};
  EXPECT_NEAR(governor.next(sim::milliseconds(10), cpu_max_hz, idle, crowd), 1.25 * cpu_max_hz, 1);
}

TEST(Schedutil, SeesAnAlwaysBusyCoreGrowPastItsSpeedOnlyInScaledTime) {
  // At half clock: in scaled time 64 ms are one half life, and the limit is 1; before Linux 5.1 it was a
  // half.
  SchedutilSettings settings;
  const std::vector<double> busy{1};
  Schedutil now(settings, cpu_max_hz);
  EXPECT_NEAR(now.next(sim::milliseconds(64), cpu_max_hz / 2, busy), 1.25 * 0.5 * cpu_max_hz, 1);
  for (int i = 0; i < 100; ++i) now.next(sim::milliseconds(10), cpu_max_hz / 2, busy);
  EXPECT_NEAR(now.utilisation()[0], 1, 1e-4);
  settings.scaled_time = false;
  Schedutil before(settings, cpu_max_hz);
  for (int i = 0; i < 100; ++i) before.next(sim::milliseconds(10), cpu_max_hz / 2, busy);
  EXPECT_NEAR(before.utilisation()[0], 0.5, 1e-4);
}

TEST(Schedutil, FollowsTheBusiestCoreOfTheCluster) {
  Cluster one("schedutil"), many("schedutil");
  const double alone = one.polls(200, {900, 0, 0, 0}).back();
  EXPECT_EQ(many.polls(200, {200, 900, 300, 700}).back(), alone);
}

TEST(Schedutil, RefersToTheHardwaresMaximumUnderAPowerModesLimit) {
  OppTable table = cpu_table();
  table.max_hz = 1344 * mhz;
  Cluster cluster("schedutil", {}, table);
  EXPECT_EQ(cluster.settled(800), table.at_least(1000 * mhz));
  EXPECT_EQ(cluster.settled(1700), 1344 * mhz);
}

TEST(Ondemand, JumpsToTheTopAboveItsThreshold) {
  Cluster cluster("ondemand");
  EXPECT_EQ(cluster.hz(), 729.6 * mhz);
  EXPECT_EQ(cluster.poll({729.6 * 0.97}), 1728 * mhz);
  // Half busy: half way from 115.2 to 1728 MHz, 921.6; the nearest entry is 883.2 or 960, the lower on a tie.
  EXPECT_NEAR(cluster.poll({1728 * 0.5}), 883.2 * mhz, 1);
  EXPECT_EQ(cluster.poll({0}), 729.6 * mhz);
}
TEST(Ondemand, TakesTheThresholdItselfAsBelow) {
  Cluster cluster("ondemand");
  EXPECT_LT(cluster.poll({729.6 * 0.955}), 1728 * mhz);  // 95 in whole per cent
}

TEST(Conservative, WalksInStepsOfATwentiethOfTheLimit) {
  Cluster cluster("conservative");
  // 729.6 + n x 86.4, rounded down to the table: 816, 902.4, 988.8, ...
  const std::vector<double> up = cluster.polls(12, {saturated});
  const OppTable table = cpu_table();
  for (int i = 0; i < 12; ++i)
    EXPECT_EQ(up[static_cast<std::size_t>(i)], table.at_most((729.6 + 86.4 * (i + 1)) * mhz)) << i;
  EXPECT_EQ(up.back(), 1728 * mhz);
  EXPECT_THAT(cluster.polls(3, {1728 * 0.5}), Each(1728 * mhz));  // between the thresholds
  const std::vector<double> down = cluster.polls(12, {0});
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(down[static_cast<std::size_t>(i)],
              table.at_least(std::max(729.6, 1728 - 86.4 * (i + 1)) * mhz));
  }
  EXPECT_EQ(down.back(), 729.6 * mhz);
}

TEST(CpuGovernors, ThatPinHoldTheirClockWithoutPolls) {
  const auto start = [](std::string_view governor, double hz = 0) {
    CpuSettings settings;
    settings.userspace_hz = hz;
    const CpuScaling scaling(*cpu_governor(governor), cpu_table(), settings, cpu_max_hz);
    EXPECT_EQ(scaling.interval(), sim::Duration::zero());
    return scaling.start() / mhz;
  };
  EXPECT_EQ(start("performance"), 1728);
  EXPECT_NEAR(start("powersave"), 729.6, 1e-9);
  EXPECT_EQ(start("userspace"), 1728);
  EXPECT_NEAR(start("userspace", 1000 * mhz), 960, 1e-9);
}

RC_GTEST_PROP(CpuGovernors, StayOnTheTableAndWithinItsLimits, ()) {
  OppTable table = cpu_table();
  const int low = *rc::gen::inRange(100, 1500), high = *rc::gen::inRange(low, 1800);
  table.min_hz = low * mhz;
  table.max_hz = high * mhz;
  const std::size_t governor = *rc::gen::inRange<std::size_t>(0, cpu_governors().size());
  Cluster cluster(cpu_governors()[governor].name, {}, table);
  RC_ASSERT(stands_on(table, cluster.hz()));
  for (int i = 0; i < 50; ++i) {
    cluster.poll(
        {static_cast<double>(*rc::gen::inRange(0, 2000)), static_cast<double>(*rc::gen::inRange(0, 500))});
    RC_ASSERT(stands_on(table, cluster.hz()));
  }
}

TEST(CpuGovernors, NeverSettleLowerUnderMoreDemand) {
  for (const char* governor : {"schedutil", "performance", "powersave", "conservative"}) {
    double before = 0;
    for (int demand = 0; demand <= 1900; demand += 20) {
      Cluster cluster(governor);
      const double clock = cluster.settled(demand);
      EXPECT_GE(clock, before) << governor << ' ' << demand;
      before = clock;
    }
  }
}

// --- EMC ---

// A memory whose clock follows at once, with a demand in MHz of its own clock.
class Emc {
 public:
  explicit Emc(const EmcSettings& settings = scaling_settings())
      : scaling_(emc_table(), 306 * mhz, settings), hz_(scaling_.start()) {}
  static EmcSettings scaling_settings() {
    EmcSettings settings;
    settings.scales = true;
    return settings;
  }
  double poll(double demand_mhz, double gpu_mhz) {
    return hz_ = scaling_.poll({hz_, std::min(1.0, demand_mhz * mhz / hz_), gpu_mhz * mhz});
  }
  double settled(double demand_mhz, double gpu_mhz) {
    for (int i = 0; i < 2000; ++i) poll(demand_mhz, gpu_mhz);
    return hz_ / mhz;
  }
  [[nodiscard]] const EmcScaling& scaling() const { return scaling_; }

 private:
  EmcScaling scaling_;
  double hz_;
};

TEST(EmcScaling, StandsAtItsLimitUnlessItScales) {
  Emc emc{EmcSettings{}};
  EXPECT_EQ(emc.scaling().interval(), sim::Duration::zero());
  EXPECT_EQ(emc.scaling().start(), 3199 * mhz);
  EXPECT_EQ(emc.poll(0, 0), 3199 * mhz);
}

TEST(EmcScaling, IsAtLeastTwiceTheGpusClock) {
  Emc emc;
  EXPECT_EQ(emc.settled(0, 0), 204);
  EXPECT_EQ(emc.settled(0, 306), 204);  // the GPU's lowest clock asks for nothing
  EXPECT_EQ(emc.settled(0, 408), 2133);
  EXPECT_EQ(emc.settled(0, 1020), 2133);
  EXPECT_EQ(emc.settled(0, 0), 204);
}

TEST(EmcScaling, StandsAtItsLimitWhileADlaHasPower) {
  const std::vector<double> table{204 * mhz, 2133 * mhz, 3199 * mhz};
  EmcSettings settings;
  settings.scales = true;
  EmcScaling scaling({.hz = table, .min_hz = 0, .max_hz = 3199 * mhz}, 306 * mhz, settings);
  EXPECT_EQ(scaling.poll({.hz = 204 * mhz, .busy = 0.1, .gpu_hz = 0, .dla = true}), 3199 * mhz);
  EXPECT_EQ(scaling.poll({.hz = 3199 * mhz, .busy = 0, .gpu_hz = 0, .dla = false}), 204 * mhz);
}

TEST(EmcScaling, RisesWithActivityUntilItIsBelowTheThreshold) {
  Emc emc;
  EXPECT_NEAR(emc.settled(300, 0), 665.6, 1e-9);  // 300 / 0.6 = 500
  EXPECT_EQ(emc.settled(900, 0), 2133);
  EXPECT_EQ(emc.settled(1500, 0), 3199);
  EXPECT_EQ(emc.settled(5000, 0), 3199);
  EXPECT_EQ(emc.settled(10, 0), 204);
}

TEST(EmcScaling, ReactsToALoadWithinATenthOfASecond) {
  Emc emc;
  emc.settled(0, 0);
  int polls = 0;
  while (emc.poll(saturated, 0) < 2133 * mhz && polls < 100) ++polls;
  EXPECT_LE(polls, 10);
}

// The law of NVIDIA's driver: one sample above the upper threshold adds to the boost, and it takes several in
// a row below the lower one to lessen it.
TEST(EmcScaling, HoldsAClockThatTheMeanLoadDoesNotNeedWhileSamplesScatter) {
  Emc steady, scattered;
  EXPECT_EQ(steady.settled(1100, 0), 2133);
  for (int i = 0; i < 2000; ++i) scattered.poll(i % 2 == 0 ? 800 : 1400, 0);  // in the mean 1100
  for (int i = 0; i < 6; ++i) EXPECT_EQ(scattered.poll(i % 2 == 0 ? 800 : 1400, 0), 3199 * mhz);
  EXPECT_EQ(scattered.settled(1100, 0), 2133);
}

TEST(EmcScaling, NeverSettlesLowerUnderMoreDemand) {
  double before = 0;
  for (int demand = 0; demand < 3200; demand += 50) {
    Emc emc;
    const double clock = emc.settled(demand, 0);
    EXPECT_GE(clock, before) << demand;
    before = clock;
  }
}

TEST(GovernorNames, LeadToTheirGovernors) {
  for (const CpuGovernor& governor : cpu_governors()) EXPECT_EQ(cpu_governor(governor.name), &governor);
  for (const GpuGovernor& governor : gpu_governors()) EXPECT_EQ(gpu_governor(governor.name), &governor);
  EXPECT_EQ(cpu_governor("nvhost_podgov"), nullptr);
  EXPECT_EQ(gpu_governor("schedutil"), nullptr);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::power
