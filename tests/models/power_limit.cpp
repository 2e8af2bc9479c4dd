// A card's own limit of power: what its controller asks of the clock, for loads whose dynamic power follows
// V^2 f.

#include "models/power/controllers/power_limit.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
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

// A load that would draw `full_w` at the highest clock and begins after a long pause.
Course run(double budget_w, double full_w, int seconds) {
  const std::vector<double> opps = clocks();
  PowerLimit limit(limit_of(budget_w), opps, voltage, idle_w);
  Course run;
  for (int i = 0; i < seconds * readings_per_second; ++i) {
    const double hz = opps[opps.size() - 1 - static_cast<std::size_t>(limit.throttle().gpu_steps)];
    run.hz.push_back(hz);
    run.watts.push_back(idle_w + (full_w - idle_w) * dynamic(hz) / dynamic(opps.back()));
    limit.read(run.watts.back(), hz);
  }
  return run;
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
  PowerLimit limit(limit_of(200), clocks(), voltage, idle_w);
  for (int i = 0; i < 100; ++i) limit.read(300, 345e6);
  EXPECT_TRUE(limit.unmet());
  EXPECT_EQ(limit.throttle().gpu_steps, static_cast<int>(clocks().size()) - 1);
  for (int i = 0; i < 100; ++i) limit.read(150, 345e6);
  EXPECT_FALSE(limit.unmet());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::power
