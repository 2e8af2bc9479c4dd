// Where transients end, whether a series drifts, and means over intervals.
#include "sim/settling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "sim/interval_means.hpp"
#include "sim/random.hpp"

namespace jostle::sim {
namespace JOSTLE_FILE {

// Each number five times: what a batch is of.
std::vector<double> batches_of(const std::vector<double>& means) {
  std::vector<double> numbers;
  for (const double mean : means) numbers.insert(numbers.end(), 5, mean);
  return numbers;
}

// x' = rho x + noise of unit variance, from its steady state on.
std::vector<double> autoregressive(std::uint64_t seed, double rho, int count) {
  RandomStream random(seed, "autoregressive");
  std::vector<double> numbers;
  double x = random.normal(0, 1 / std::sqrt(1 - rho * rho));
  for (int i = 0; i < count; ++i) {
    numbers.push_back(x);
    x = rho * x + random.normal(0, 1);
  }
  return numbers;
}

double mean(const std::vector<double>& x, std::size_t from) {
  return std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(from), x.end(), 0.0) /
         static_cast<double>(x.size() - from);
}

// Squared deviations over the square of the number of batches left, by hand: 13.64 / 121 with the batch of 5,
// 2.5 / 100 without it, 2.22 / 81 and 2 / 64 with fewer.
TEST(Mser5, is_the_least_marginal_standard_error) {
  EXPECT_EQ(mser5(batches_of({9, 5, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2})), 10U);
}

TEST(Mser5, cuts_nothing_of_a_constant) {
  EXPECT_EQ(mser5(std::vector<double>(200, 3.0)), 0U);
}

TEST(Mser5, does_not_accept_a_cut_in_the_second_half) {
  std::vector<double> ramp(200);
  std::iota(ramp.begin(), ramp.end(), 0.0);
  EXPECT_FALSE(mser5(ramp));
  std::vector<double> late(200, 1.0);
  std::fill(late.begin(), late.begin() + 120, 5.0);
  EXPECT_FALSE(mser5(late));
}

TEST(Mser5, says_nothing_of_few_numbers) {
  EXPECT_FALSE(mser5(std::vector<double>(49, 1.0)));
  EXPECT_TRUE(mser5(std::vector<double>(50, 1.0)));
}

// 10 + 5 exp(-t / 50) + noise: the mean of 1000 numbers is 0.25 too high.
TEST(Mser5, removes_the_bias_of_a_transient) {
  double kept = 0, all = 0;
  int found = 0;
  constexpr int runs = 300;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    std::vector<double> x = autoregressive(seed, 0.5, 1000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += 10 + 5 * std::exp(-static_cast<double>(i) / 50);
    const auto cut = mser5(x);
    if (!cut) continue;
    ++found;
    kept += mean(x, *cut);
    all += mean(x, 0);
  }
  EXPECT_GE(found, runs * 95 / 100);
  EXPECT_NEAR(all / found, 10.25, 0.02);
  EXPECT_NEAR(kept / found, 10, 0.05);
}

// Once in a thousand: of 1000 series, 5 or fewer with probability 0.9995.
TEST(Halves, differ_by_chance_once_in_a_thousand) {
  for (const double rho : {0.0, 0.5, 0.9}) {
    int alarms = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed)
      alarms += halves(autoregressive(seed, rho, 1000))->differ(0);
    EXPECT_LE(alarms, 5) << rho;
  }
}

TEST(Halves, that_differ_are_told) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::vector<double> x = autoregressive(seed, 0.5, 1000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += i < 500 ? 20 : 22;
    EXPECT_TRUE(halves(x)->differ(0.02)) << seed;
    EXPECT_FALSE(halves(x)->differ(0.2)) << seed;
  }
}

TEST(Halves, of_a_regular_count_do_not_differ) {
  for (int gap = 3; gap < 60; ++gap) {
    std::vector<double> counts(1000);
    for (std::size_t i = 0; i < counts.size(); i += static_cast<std::size_t>(gap)) counts[i] = 1;
    const auto found = halves(counts, 1.0 / 500);
    EXPECT_FALSE(found && found->differ(0)) << gap;
  }
  std::vector<double> few(1000);
  few[0] = few[500] = 1;
  EXPECT_FALSE(halves(few, 1.0 / 500));
}

TEST(IntervalMeans, keep_the_mean_at_a_modest_number) {
  IntervalMeans means(milliseconds(10));
  for (int i = 0; i < 8192; ++i) means.add(i);
  EXPECT_LT(means.values().size(), IntervalMeans::max_kept);
  EXPECT_EQ(means.interval(), milliseconds(160));
  EXPECT_DOUBLE_EQ(mean(means.values(), 0), 8191.0 / 2);
  EXPECT_DOUBLE_EQ(means.values()[1], 16 + 7.5);
  EXPECT_EQ(means.from(Time::zero() + milliseconds(160)), 1U);
  EXPECT_EQ(means.from(Time::zero() + milliseconds(161)), 2U);
  EXPECT_EQ(means.from(Time::zero() + seconds(1000)), means.values().size());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::sim
