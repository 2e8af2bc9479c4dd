// A card's own limit of power: what its controller asks of the clock, for loads whose dynamic power follows
// V^2 f.

#include "models/power/controllers/power_limit.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace jostle::power {
namespace JOSTLE_FILE {

using sim::milliseconds;

constexpr double idle_w = 120;
constexpr int readings_per_second = 50;
const VoltageCurve voltage{{.hz = 1.2e9, .volts = 0.72}, {.hz = 1.98e9, .volts = 0.98}};

std::vector<double> clocks() {
  std::vector<double> hz;
  for (int mhz = 345; mhz <= 1980; mhz += 15) hz.push_back(mhz * 1e6);
  return hz;
}

PowerLimitSpec limit_of(double budget_w) {
  return {.budget_w = budget_w,
          .window = milliseconds(890),
          .period = milliseconds(20),
          .gain = 5.5,
          .burst = 1.07};
}

double dynamic(double hz) {
  const double volts = voltage_at(voltage, hz);
  return volts * volts * hz;
}

struct Course {
  std::vector<double> hz, watts;  // by period
  [[nodiscard]] double mean_w(int from_s, int to_s) const {
    return std::accumulate(watts.begin() + from_s * readings_per_second,
                           watts.begin() + to_s * readings_per_second, 0.0) /
           ((to_s - from_s) * readings_per_second);
  }
};

// The power that clocks change, relative to that at the highest clock.
double scaled(double hz) {
  return dynamic(hz) / dynamic(clocks().back());
}

// A card that draws `watts` of the number of the period and its clock, after a long pause.
Course run(double budget_w, double fixed_w, int seconds, const std::function<double(int, double)>& watts) {
  const std::vector<double> opps = clocks();
  PowerLimit limit(limit_of(budget_w), opps, voltage, idle_w, fixed_w);
  Course run;
  for (int i = 0; i < seconds * readings_per_second; ++i) {
    const double hz = opps[opps.size() - 1 - static_cast<std::size_t>(limit.throttle().gpu_steps)];
    run.hz.push_back(hz);
    run.watts.push_back(watts(i, hz));
    limit.read(run.watts.back(), hz);
  }
  return run;
}

// A load that would draw `full_w` at the highest clock.
Course run(double budget_w, double full_w, int seconds) {
  return run(budget_w, idle_w, seconds,
             [&](int, double hz) { return idle_w + (full_w - idle_w) * scaled(hz); });
}

double between(double least, double most) {
  return least + (most - least) * *rc::gen::inRange(0, 10001) / 1e4;
}

RC_GTEST_PROP(PowerLimit, TheMeanSettlesAtTheBudgetOfAnyLoadThatExceedsIt, ()) {
  const double budget = between(300, 700), full = between(1.05, 3) * budget;
  const double mean = run(budget, full, 30).mean_w(20, 30);
  RC_ASSERT(mean <= budget);
  RC_ASSERT(mean >= 0.99 * budget);
}

RC_GTEST_PROP(PowerLimit, ALoadBelowTheBudgetKeepsTheHighestClock, ()) {
  const double budget = between(300, 700);
  const Course below = run(budget, between(idle_w, 0.999 * budget), 5);
  RC_ASSERT(std::ranges::min(below.hz) == 1.98e9);
}

RC_GTEST_PROP(PowerLimit, ALowerBudgetOrAHungrierLoadNeverGetsAHigherClockInTheEnd, ()) {
  const auto settled = [](double budget, double full) {
    const Course at = run(budget, full, 20);
    return std::accumulate(at.hz.end() - 5 * readings_per_second, at.hz.end(), 0.0) /
           (5 * readings_per_second);
  };
  const double budget = between(300, 700), full = between(400, 1500);
  RC_ASSERT(settled(0.95 * budget, full) <= settled(budget, full) + 1e6);
  RC_ASSERT(settled(budget, 1.05 * full) <= settled(budget, full) + 1e6);
}

RC_GTEST_PROP(PowerLimit, AnyShareOfPowerThatFollowsTheClockIsSettledAtTheBudget, ()) {
  const double fixed = between(10, idle_w), memory = between(0, 300), full = between(1.1, 5) * idle_w;
  const auto watts = [&](int, double hz) { return fixed + memory + (full - fixed) * scaled(hz); };
  const double budget = between(1.03 * watts(0, clocks().front()), watts(0, clocks().back()));
  const Course course = run(budget, fixed, 20, watts);
  RC_ASSERT(course.mean_w(10, 20) <= budget);
  RC_ASSERT(course.mean_w(10, 20) >= 0.97 * budget);
  const auto [least, most] =
      std::ranges::minmax(std::vector(course.watts.end() - 5 * readings_per_second, course.watts.end()));
  RC_ASSERT(most <= 1.06 * least);
}

RC_GTEST_PROP(PowerLimit, WorkThatComesAndGoesKeepsTheBudgetInTheMean, ()) {
  const int periods = *rc::gen::inRange(2, 50), at_work = *rc::gen::inRange(1, periods);
  const double full = between(2, 6) * idle_w, fixed = between(10, idle_w);
  const auto watts = [&](int i, double hz) {
    return fixed + (i % periods < at_work ? full - fixed : idle_w - fixed) * scaled(hz);
  };
  double lowest = 0;
  for (int i = 0; i < periods; ++i) lowest += watts(i, clocks().front()) / periods;
  const double budget = between(1.03 * lowest, full);
  RC_ASSERT(run(budget, fixed, 30, watts).mean_w(10, 30) <= 1.03 * budget);
}

TEST(PowerLimit, AfterAPauseALoadIsHeldAtTheBurstUntilTheWindowHasFilledAndThenCutBelowTheBudget) {
  const Course step = run(700, 1200, 6);
  const auto at = [&](double seconds) { return static_cast<std::size_t>(seconds * readings_per_second); };
  EXPECT_GT(step.watts[0], 1199) << "nothing is known of the first period";
  for (std::size_t i = 1; i < at(0.72); ++i) {
    EXPECT_LE(step.watts[i], 749.1) << i;
    EXPECT_GT(step.watts[i], 725) << i;
  }
  const auto cut = std::ranges::find_if(step.hz.begin() + 2, step.hz.end(),
                                        [&](double hz) { return hz < 0.985 * step.hz[2]; });
  const double cut_s = static_cast<double>(cut - step.hz.begin()) / readings_per_second;
  EXPECT_GE(cut_s, 0.72);
  EXPECT_LE(cut_s, 0.9);
  const double lowest = *std::min_element(step.hz.begin(), step.hz.begin() + readings_per_second * 2);
  EXPECT_NEAR(lowest / step.hz[2], 0.78, 0.06) << "a cut of 18 to 25 %";
}

TEST(PowerLimit, ALimitBelowWhatTheLowestClockDrawsIsUnmet) {
  PowerLimit limit(limit_of(200), clocks(), voltage, idle_w, idle_w);
  for (int i = 0; i < 100; ++i) limit.read(300, 345e6);
  EXPECT_TRUE(limit.unmet());
  EXPECT_EQ(limit.throttle().gpu_steps, static_cast<int>(clocks().size()) - 1);
  for (int i = 0; i < 100; ++i) limit.read(150, 345e6);
  EXPECT_FALSE(limit.unmet());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::power
