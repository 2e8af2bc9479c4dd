// The controllers that protect a board, each by itself: what they ask of the clocks, and when.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "models/power/controllers/over_current.hpp"
#include "models/power/controllers/power_cap.hpp"
#include "models/power/controllers/thermal.hpp"
#include "models/power/controllers/throttle.hpp"

namespace jostle::power {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::milliseconds;
using sim::seconds;

const std::vector<double> opps{306e6, 408e6, 510e6, 612e6, 714e6, 816e6, 918e6, 1020e6};

double between(double least, double most) {
  return least + (most - least) * *rc::gen::inRange(0, 10001) / 1e4;
}

TEST(Throttle, StepsAreOperatingPointsBelowTheLimitDownToTheLowest) {
  EXPECT_EQ(steps_below(opps, 1020e6), 7);
  EXPECT_EQ(stepped_down(opps, 1020e6, 0), 1020e6);
  EXPECT_EQ(stepped_down(opps, 1020e6, 2), 816e6);
  EXPECT_EQ(stepped_down(opps, 1020e6, 100), 306e6);
  // A limit that is no operating point: the first step is to the next below.
  EXPECT_EQ(steps_below(opps, 624.75e6), 4);
  EXPECT_EQ(stepped_down(opps, 624.75e6, 1), 612e6);
  // Below the lowest, or without a table, there is nowhere to go.
  EXPECT_EQ(stepped_down(opps, 306e6, 3), 306e6);
  EXPECT_EQ(stepped_down({}, 1020e6, 3), 1020e6);
}

ClockRange gpu_range(double limit_hz) {
  return {.opps = opps, .highest_hz = 1020e6, .limit_hz = limit_hz, .steps = &Throttle::gpu_steps};
}

Throttles by(Cause cause, const Throttle& throttle) {
  Throttles throttles{};
  throttles[static_cast<std::size_t>(cause)] = throttle;
  return throttles;
}

TEST(Combine, TheLowestLimitBindsAndIsNamed) {
  ClockRange range = gpu_range(1020e6);
  Throttles throttles{};
  EXPECT_EQ(combine(range, throttles).binds(1020e6), Cause::none);
  range.limit_hz = 918e6;
  EXPECT_EQ(combine(range, throttles).binds(1020e6), Cause::power_mode);
  throttles = by(Cause::power_cap, {.gpu_steps = 1});
  EXPECT_EQ(combine(range, throttles).hz, 816e6);
  EXPECT_EQ(combine(range, throttles).binds(1020e6), Cause::power_cap);
  // The kernel's cooling device counts from the table's top, so three states are two below the mode's limit.
  Throttle& thermal = throttles[static_cast<std::size_t>(Cause::thermal)];
  thermal.gpu_steps = 2;
  EXPECT_EQ(combine(range, throttles).by, Cause::power_cap);
  thermal.gpu_steps = 3;
  EXPECT_EQ(combine(range, throttles).hz, 714e6);
  EXPECT_EQ(combine(range, throttles).binds(1020e6), Cause::thermal);
}

TEST(Combine, NothingBindsADomainThatWantsLess) {
  const Ceiling ceiling = combine(gpu_range(918e6), by(Cause::power_cap, {.gpu_steps = 2}));
  EXPECT_EQ(ceiling.given(408e6), 408e6);
  EXPECT_EQ(ceiling.binds(408e6), Cause::none);
  EXPECT_EQ(ceiling.binds(714e6), Cause::none);
  EXPECT_EQ(ceiling.given(918e6), 714e6);
  EXPECT_EQ(ceiling.binds(918e6), Cause::power_cap);
}

TEST(Combine, SkippedPulsesSlowADomainWhateverItWants) {
  const Ceiling ceiling = combine(gpu_range(918e6), by(Cause::over_current, {.ratio = 0.5}));
  EXPECT_EQ(ceiling.given(306e6), 306e6);
  EXPECT_EQ(ceiling.ratio, 0.5);
  EXPECT_EQ(ceiling.binds(306e6), Cause::over_current);
}

TEST(Combine, ADomainThatNoControllerLimitsHasThePowerModesLimit) {
  ClockRange range = gpu_range(918e6);
  range.steps = nullptr;
  Throttles throttles;
  throttles.fill({.cpu_steps = 3, .gpu_steps = 3, .ratio = 0.5});
  EXPECT_EQ(combine(range, throttles).hz, 918e6);
  EXPECT_EQ(combine(range, throttles).ratio, 1);
}

TEST(Combine, EveryControllerMayLowerTheClockAndIsNamed) {
  for (std::size_t i = static_cast<std::size_t>(Cause::power_cap); i < cause_names.size(); ++i) {
    const Ceiling ceiling = combine(gpu_range(1020e6), by(static_cast<Cause>(i), {.gpu_steps = 1}));
    EXPECT_EQ(ceiling.hz, 918e6) << cause_names[i];
    EXPECT_EQ(ceiling.by, static_cast<Cause>(i)) << cause_names[i];
  }
}

// A board whose power falls with each step.
struct Plant {
  std::vector<double> watts;  // by steps
  static Plant random(int steps) {
    Plant plant{{between(2, 60)}};
    for (int i = 0; i < steps; ++i) plant.watts.push_back(plant.watts.back() * between(0.7, 0.999));
    return plant;
  }
  [[nodiscard]] double at(const Throttle& throttle) const {
    return watts[static_cast<std::size_t>(throttle.cpu_steps + throttle.gpu_steps)];
  }
};

TEST(PowerCap, GoesDownWithTheGpuFirstThenTheCpuAndNoFurtherThanThereAreSteps) {
  PowerCap cap({.budget_w = 1, .window = seconds(1)}, 2, 3);
  std::vector<Throttle> seen;
  for (int i = 0; i < 7; ++i) seen.push_back(cap.read(10));
  EXPECT_EQ(seen[0], (Throttle{.cpu_steps = 0, .gpu_steps = 1}));
  EXPECT_EQ(seen[1], (Throttle{.cpu_steps = 0, .gpu_steps = 2}));
  EXPECT_EQ(seen[2], (Throttle{.cpu_steps = 1, .gpu_steps = 2}));
  EXPECT_EQ(seen[4], (Throttle{.cpu_steps = 3, .gpu_steps = 2}));
  EXPECT_EQ(seen[6], (Throttle{.cpu_steps = 3, .gpu_steps = 2}));
}

TEST(PowerCap, ABurstThatTheWindowAbsorbsCostsNothing) {
  PowerCap cap({.budget_w = 10, .window = seconds(1)}, 7, 0);
  for (int i = 0; i < 50; ++i) cap.read(5);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(cap.read(25).gpu_steps, 0) << i;  // 38 x 5 + 12 x 25 = 490
  EXPECT_EQ(cap.read(25).gpu_steps, 1);
}

TEST(PowerCap, ClocksRiseAgainWhenTheLoadIsGoneAndNothingIsOwed) {
  PowerCap cap({.budget_w = 10, .window = seconds(1)}, 4, 0);
  for (int i = 0; i < 3; ++i) cap.read(20);
  EXPECT_EQ(cap.throttle().gpu_steps, 3);
  int readings = 0;
  std::vector<int> rises;
  while (cap.throttle().gpu_steps > 0 && readings < 1000) {
    const int before = cap.throttle().gpu_steps;
    cap.read(2);
    ++readings;
    if (cap.throttle().gpu_steps < before) rises.push_back(readings);
  }
  // 3 x 20 + 4 x 2 is what the budget gives 7 readings; clocks follow a step within 3.
  EXPECT_EQ(rises, (std::vector{4, 7, 10}));
}

TEST(PowerCap, ABudgetBetweenTwoClocksIsUsedUpByAlternating) {
  for (const double low : {7.0, 8.5, 9.25, 9.6}) {
    for (const double high : {10.1, 10.3, 11.0, 13.0}) {
      const Plant plant{{14, 13.5, high, low, 5}};
      PowerCap cap({.budget_w = 10, .window = seconds(1)}, 4, 0);
      double sum = 0, highest_mean = 0;
      const int readings = 3000;
      for (int i = 0; i < readings; ++i) {
        const double watts = plant.at(cap.throttle());
        cap.read(watts);
        if (i < readings / 2) continue;
        sum += watts;
        highest_mean = std::max(highest_mean, cap.window_mean_w());
      }
      EXPECT_NEAR(sum / (readings - readings / 2), 10, 0.15) << low << ' ' << high;
      EXPECT_LE(highest_mean, 10.2) << low << ' ' << high;
    }
  }
}

TEST(PowerCap, IsUsedUpAlthoughOneReadingIsTooMuchNowAndThen) {
  // Kernels of a network draw more or less than their mean, for longer than a reading.
  for (const int phase : {2, 5, 11}) {
    const Plant plant{{16, 14, 12, 11, 10, 9, 8, 7, 6}};
    PowerCap cap({.budget_w = 10.5, .window = seconds(1)}, 8, 0);
    double sum = 0;
    const int readings = 6000;
    for (int i = 0; i < readings; ++i) {
      const double watts = (i / phase % 2 == 0 ? 1.3 : 0.7) * plant.at(cap.throttle());
      cap.read(watts);
      if (i >= readings / 2) sum += watts;
    }
    EXPECT_NEAR(sum / (readings - readings / 2), 10.5, 0.01 * 10.5) << phase;
  }
}

// Steps of up to a tenth, and a window of 50 readings and more.
RC_GTEST_PROP(PowerCap, SpendsItsBudgetOnAConstantLoadAndNoMore, ()) {
  const int gpu = *rc::gen::inRange(1, 15), cpu = *rc::gen::inRange(0, 30);
  Plant plant{{between(2, 60)}};
  for (int i = 0; i < gpu + cpu; ++i) plant.watts.push_back(plant.watts.back() * between(0.9, 0.999));
  const PowerCapSpec spec{.budget_w = between(plant.watts.back() * 1.001, plant.watts.front()),
                          .window = milliseconds(between(1000, 3000))};
  PowerCap cap(spec, gpu, cpu);
  Throttle throttle;
  const auto window = static_cast<int>(spec.window / cap.interval()) + 1;
  // What the way down has overdrawn is paid back first.
  for (int i = 0; i < 200 * window; ++i) throttle = cap.read(plant.at(throttle));
  double sum = 0;
  for (int i = 0; i < 100 * window; ++i) {
    sum += plant.at(throttle);
    throttle = cap.read(plant.at(throttle));
  }
  const double mean = sum / (100 * window);
  RC_ASSERT(mean <= 1.002 * spec.budget_w);
  RC_ASSERT(mean >= 0.99 * std::min(spec.budget_w, plant.watts.front()));
}

TEST(PowerCap, ALoadThatKeepsTemptingItIsMadeToPayBackBeforeTheNextTry) {
  // A step up is far too much, and the load changes as soon as that is forgotten.
  PowerCap cap({.budget_w = 10, .window = seconds(1)}, 1, 0);
  double joules = 0;
  const int readings = 60'000;
  int tries = 0;
  for (int i = 0; i < readings; ++i) {
    const double load = i / 55 % 2 == 0 ? 1 : 0.85;
    const int before = cap.throttle().gpu_steps;
    const double watts = load * (before == 0 ? 60 : 9.4);
    joules += watts;
    tries += cap.read(watts).gpu_steps < before ? 1 : 0;
  }
  EXPECT_GT(tries, 10);
  EXPECT_LE(joules / readings, 10.001);  // a little may be owed at the end
}

RC_GTEST_PROP(PowerCap, KeepsTheLongRunMeanOfAnyLoadThatTheLowestClocksCanKeep, ()) {
  const int gpu = *rc::gen::inRange(1, 10), cpu = *rc::gen::inRange(0, 10);
  const Plant plant = Plant::random(gpu + cpu);
  const PowerCapSpec spec{.budget_w = between(plant.watts.back(), plant.watts.front()),
                          .window = milliseconds(between(20, 1000))};
  PowerCap cap(spec, gpu, cpu);
  const int window = static_cast<int>(spec.window / cap.interval()) + 1;
  // Loads from nothing to the whole, each for a while around the window's length.
  double load = 1, joules = 0;
  int left = 0;
  Throttle throttle;
  const int readings = 2000 * window;
  sim::Duration elapsed;
  std::uint32_t state = *rc::gen::arbitrary<std::uint32_t>();
  const auto draw = [&state] {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 8) / 16777216.0;
  };
  for (int i = 0; i < readings; ++i) {
    if (left-- <= 0) {
      load = draw() < 0.5 ? draw() : 1;
      left = static_cast<int>(draw() * 3 * window);
    }
    const double watts = load * plant.at(throttle);
    joules += watts;
    elapsed += cap.interval();
    throttle = cap.read(watts);
    RC_ASSERT(throttle.gpu_steps >= 0 && throttle.gpu_steps <= gpu && throttle.cpu_steps >= 0 &&
              throttle.cpu_steps <= cpu);
  }
  const double steps = gpu + cpu + 2;
  const double owed = steps * window * (plant.watts.front() - spec.budget_w);
  RC_ASSERT(joules / readings <= spec.budget_w + owed / readings);
}

// The limits of Xavier NX, with times that are easy to count.
OverCurrentSpec xavier_nx() {
  return {
      .input_v = 5,
      .average =
          OverCurrentAlarm{
              .threshold_w = 15, .averaging = milliseconds(10), .ratio = 0.5, .release = milliseconds(20)},
      .instantaneous =
          OverCurrentAlarm{.threshold_w = 25, .averaging = {}, .ratio = 0.25, .release = milliseconds(1)}};
}

TEST(OverCurrent, AnInstantaneousAlarmComesWithTheReadingAndIsReleasedAfterItsDelay) {
  OverCurrentSpec spec = xavier_nx();
  spec.average.reset();
  OverCurrent alarms(spec);
  EXPECT_EQ(alarms.interval(), milliseconds(1));
  EXPECT_EQ(alarms.read(25, milliseconds(1)).ratio, 1);  // at the threshold, not above
  EXPECT_EQ(alarms.read(25.01, milliseconds(1)).ratio, 0.25);
  EXPECT_TRUE(alarms.alarmed());
  EXPECT_EQ(alarms.read(10, milliseconds(1)).ratio, 1);
  EXPECT_EQ(alarms.read(30, milliseconds(1)).ratio, 0.25);
  EXPECT_EQ(alarms.read(30, milliseconds(1)).ratio, 0.25);
}

TEST(OverCurrent, AnAverageAlarmComparesBlocksAndLastsItsDelay) {
  OverCurrentSpec spec = xavier_nx();
  spec.instantaneous.reset();
  OverCurrent alarms(spec);
  // 4 ms at 30 W and 6 ms at 4 W are 14.4 W on average: below 15.
  EXPECT_EQ(alarms.read(30, milliseconds(4)).ratio, 1);
  EXPECT_EQ(alarms.read(4, milliseconds(6)).ratio, 1);
  EXPECT_EQ(alarms.read(30, milliseconds(5)).ratio, 1);
  EXPECT_EQ(alarms.read(4, milliseconds(5)).ratio, 0.5);  // 17 W
  EXPECT_EQ(alarms.read(4, milliseconds(19)).ratio, 0.5);
  EXPECT_EQ(alarms.read(4, milliseconds(1)).ratio, 1);
}

TEST(OverCurrent, TheDeeperOfTwoAlarmsHolds) {
  OverCurrent alarms(xavier_nx());
  EXPECT_EQ(alarms.read(26, milliseconds(10)).ratio, 0.25);
  EXPECT_EQ(alarms.read(10, milliseconds(5)).ratio, 0.5);
}

TEST(OverCurrent, APowerModeMayRaiseTheThreshold) {
  OverCurrent low(xavier_nx()), high(xavier_nx(), {.average_a = 4, .instantaneous_a = {}});
  EXPECT_EQ(low.read(18, milliseconds(10)).ratio, 0.5);
  EXPECT_EQ(high.read(18, milliseconds(10)).ratio, 1);
  EXPECT_EQ(high.read(20.1, milliseconds(10)).ratio, 0.5);
}

RC_GTEST_PROP(OverCurrent, HowAnIntervalOfConstantPowerIsCutMakesNoDifference, ()) {
  OverCurrent whole(xavier_nx()), parts(xavier_nx());
  for (int i = 0; i < 20; ++i) {
    const double watts = between(0, 24);  // no instantaneous alarm: that is of readings, not of blocks
    const Duration interval{*rc::gen::inRange<std::int64_t>(1, 50'000'000'000)};
    const Duration first{*rc::gen::inRange<std::int64_t>(0, interval.ps() + 1)};
    whole.read(watts, interval);
    if (first > Duration::zero()) parts.read(watts, first);
    if (first < interval) parts.read(watts, interval - first);
    RC_ASSERT(whole.throttle() == parts.throttle());
  }
}

ThermalSpec devkit() {
  return {.stages = {{.resistance_k_per_w = 0.4, .resistance_without_k_per_w = 0.4, .capacity_j_per_k = 8},
                     {.resistance_k_per_w = 1.6, .resistance_without_k_per_w = 5, .capacity_j_per_k = 50}},
          .fan_curve = {},
          .passive_c = 99,
          .hysteresis_k = 0,
          .critical_c = 104.5};
}

TEST(ThermalPath, ReachesAmbientPlusPowerTimesResistance) {
  for (const bool fan : {true, false}) {
    ThermalPath path(devkit(), 25, fan), settled = path;
    EXPECT_EQ(path.celsius(), 25);
    path.advance(10, seconds(10'000));
    EXPECT_NEAR(path.celsius(), fan ? 45 : 79, 1e-9);
    settled.settle(10);
    EXPECT_NEAR(settled.celsius(), fan ? 45 : 79, 1e-9);
  }
}

TEST(ThermalPath, RespondsToAStepOfPowerAsTheClosedFormSays) {
  ThermalPath path(devkit(), 20, true);
  path.advance(15, seconds(30));
  const double expected = 20 + 15 * 0.4 * (1 - std::exp(-30 / 3.2)) + 15 * 1.6 * (1 - std::exp(-30 / 80.0));
  EXPECT_NEAR(path.celsius(), expected, 1e-9);
}

RC_GTEST_PROP(ThermalPath, TwoPartsOfAnIntervalMakeTheWhole, ()) {
  ThermalPath whole(devkit(), between(-20, 60), *rc::gen::arbitrary<bool>()), parts = whole;
  for (int i = 0; i < 10; ++i) {
    const double watts = between(0, 60);
    const Duration interval{*rc::gen::inRange<std::int64_t>(0, 200'000'000'000'000)};
    const Duration first{*rc::gen::inRange<std::int64_t>(0, interval.ps() + 1)};
    whole.advance(watts, interval);
    parts.advance(watts, first);
    parts.advance(watts, interval - first);
    RC_ASSERT(std::abs(whole.celsius() - parts.celsius()) < 1e-9);
  }
}

// In equals out plus what is stored, for one stage: integral of P - d / R is C times the change of d.
RC_GTEST_PROP(ThermalPath, HeatIsConserved, ()) {
  ThermalSpec spec = devkit();
  spec.stages.erase(spec.stages.begin());
  const double ambient = 25, resistance = 1.6, capacity = 50;
  ThermalPath path(spec, ambient, true);
  path.settle(between(0, 30));
  const double start = path.celsius(), watts = between(0, 30);
  const int steps = 4000;
  double out = 0;
  for (int i = 0; i < steps; ++i) {  // trapezia over 40 s
    const double before = path.celsius();
    path.advance(watts, milliseconds(10));
    out += ((before + path.celsius()) / 2 - ambient) / resistance * 0.01;
  }
  RC_ASSERT(std::abs(watts * 40 - out - capacity * (path.celsius() - start)) < 1e-3);
}

TEST(ThermalPath, TheFanFollowsItsCurve) {
  ThermalSpec spec = devkit();
  spec.fan_curve = {{40, 0}, {80, 1}};
  ThermalPath path(spec, 25, true);
  EXPECT_EQ(path.fan_share(), 0);
  path.settle(12);
  // A temperature that the fan's speed at it gives: 25 + 12 (0.4 + 1 / (1 / 5 + s (1 / 1.6 - 1 / 5))).
  const double share = path.fan_share();
  EXPECT_NEAR(path.celsius(), 25 + 12 * (0.4 + 1 / (1 / 5.0 + share * (1 / 1.6 - 1 / 5.0))), 1e-9);
  EXPECT_NEAR(path.celsius(), 40 + 40 * share, 1e-9);
  path.set_fan();
  path.advance(12, seconds(100));
  EXPECT_NEAR(path.celsius(), 40 + 40 * share, 1e-6);
}

TEST(StepWise, GoesUpAStateAPollWhileAboveAndRisingAndHoldsWhenNot) {
  StepWise governor(devkit(), 3, 5);
  EXPECT_EQ(governor.poll(98.9), Throttle{});
  EXPECT_EQ(governor.poll(99), (Throttle{.cpu_steps = 1, .gpu_steps = 1}));
  EXPECT_EQ(governor.poll(99.5), (Throttle{.cpu_steps = 2, .gpu_steps = 2}));
  EXPECT_EQ(governor.poll(99.5), (Throttle{.cpu_steps = 2, .gpu_steps = 2}));
  EXPECT_EQ(governor.poll(99.2), (Throttle{.cpu_steps = 2, .gpu_steps = 2}));
  for (int i = 0; i < 9; ++i) governor.poll(100 + i * 0.1);
  EXPECT_EQ(governor.throttle(), (Throttle{.cpu_steps = 5, .gpu_steps = 3}));
}

TEST(StepWise, GoesDownAStateAPollWhileBelowAndFalling) {
  ThermalSpec spec = devkit();
  spec.hysteresis_k = 2;
  StepWise governor(spec, 3, 3);
  for (const double celsius : {99.0, 99.1, 99.2}) governor.poll(celsius);
  EXPECT_EQ(governor.poll(98).cpu_steps, 3);
  EXPECT_EQ(governor.poll(97).cpu_steps, 3);  // not yet below the trip less the hysteresis
  EXPECT_EQ(governor.poll(96.9).cpu_steps, 2);
  EXPECT_EQ(governor.poll(96.9).cpu_steps, 2);
  EXPECT_EQ(governor.poll(97.5).cpu_steps, 2);  // rising, but below the trip
  EXPECT_EQ(governor.poll(96).cpu_steps, 1);
  EXPECT_EQ(governor.poll(95).cpu_steps, 0);
  EXPECT_EQ(governor.poll(94), Throttle{});
}

TEST(StepWise, ThrottlesFromTheFirstPollWhenItBeginsAboveTheTrip) {
  StepWise governor(devkit(), 3, 3);
  EXPECT_EQ(governor.poll(100).gpu_steps, 1);
}

TEST(StepWise, AtTheCriticalTripTheBoardIsDownForGood) {
  StepWise governor(devkit(), 3, 3);
  governor.poll(104.4);
  EXPECT_FALSE(governor.down());
  governor.poll(104.5);
  EXPECT_TRUE(governor.down());
  governor.poll(30);
  EXPECT_TRUE(governor.down());
}

TEST(Thermal, HoldsABoardThatIsTooHotAroundItsTripByTakingItsClocks) {
  // Fan-less, 25 W at full clocks would be 160 degC; each state takes a tenth off.
  Thermal thermal(devkit(), 25, false, 10, 10);
  thermal.settle(10);
  double hottest = 0, joules = 0;
  for (int second = 0; second < 3000; ++second) {
    const double watts = 25 * std::pow(0.9, thermal.throttle().gpu_steps);
    thermal.advance(watts, thermal.polling());
    thermal.poll();
    if (second < 1500) continue;
    hottest = std::max(hottest, thermal.celsius());
    joules += watts;
  }
  EXPECT_FALSE(thermal.down());
  EXPECT_LT(hottest, 101);
  EXPECT_NEAR(joules / 1500, (99 - 25) / 5.4, 0.5);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::power
