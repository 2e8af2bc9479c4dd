// Intervals that cover, quantiles that are exact or nearly, integrals over time.
#include "sim/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "sim/random.hpp"

namespace jostle::sim {
namespace {

TEST(StudentT, agrees_with_the_tables) {
  EXPECT_NEAR(student_t_95(1), 12.706, 1e-3);
  EXPECT_NEAR(student_t_95(10), 2.228, 1e-3);
  EXPECT_NEAR(student_t_95(31), 2.0395, 1e-4);
  EXPECT_NEAR(student_t_95(60), 2.0003, 1e-4);
  EXPECT_NEAR(student_t_95(1'000'000), 1.95996, 1e-4);
}

TEST(BatchMeans, interval_on_known_data_is_students) {
  BatchMeans means;
  for (const double x : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0, 1.0, 9.0}) means.add(x);
  // Mean 5, sample variance 64/9 (alternating enough not to be merged), t(9) = 2.2622.
  const Interval interval = means.ci95().value();
  EXPECT_DOUBLE_EQ(means.mean().value(), 5);
  EXPECT_NEAR(interval.high - 5, 2.2622 * std::sqrt(64.0 / 9 / 10), 1e-9);
  EXPECT_NEAR(means.relative_half_width().value(), (interval.high - 5) / 5, 1e-12);
}

TEST(BatchMeans, too_few_observations_have_no_interval) {
  BatchMeans means;
  EXPECT_FALSE(means.mean());
  for (int i = 0; i < 7; ++i) means.add(i);
  EXPECT_TRUE(means.mean());
  EXPECT_FALSE(means.ci95());
  means.add(7);
  EXPECT_TRUE(means.ci95());
}

TEST(BatchMeans, equal_observations_are_known_exactly) {
  BatchMeans means;
  for (int i = 0; i < 1000; ++i) means.add(3);
  EXPECT_DOUBLE_EQ(means.ci95()->low, 3);
  EXPECT_DOUBLE_EQ(means.ci95()->high, 3);
}

// x' = rho x + noise: the naive interval of independent data covers 60 % of the time at rho = 0.9.
TEST(BatchMeans, intervals_of_correlated_data_cover_the_mean) {
  for (const double rho : {0.0, 0.5, 0.9}) {
    int covered = 0;
    constexpr int runs = 400;
    for (std::uint64_t seed = 0; seed < runs; ++seed) {
      RandomStream random(seed, "autoregressive");
      BatchMeans means;
      double x = random.normal(0, 1 / std::sqrt(1 - rho * rho));
      for (int i = 0; i < 3000; ++i) {
        means.add(10 + x);
        x = rho * x + random.normal(0, 1);
      }
      const Interval interval = means.ci95().value();
      covered += interval.low <= 10 && 10 <= interval.high ? 1 : 0;
    }
    EXPECT_GE(covered, static_cast<int>(0.90 * runs)) << "rho " << rho;
    EXPECT_LE(covered, static_cast<int>(0.985 * runs)) << "rho " << rho;
  }
}

TEST(RateMeans, rate_of_a_steady_stream_is_exact) {
  RateMeans rate;
  const auto at = [](double ms) { return Time::zero() + milliseconds(ms); };
  for (int i = 1; i <= 100; ++i) rate.add(at(2.0 * i), 4);
  for (const double now : {200.0, 200.5, 201.9}) {
    EXPECT_NEAR(rate.mean(at(now)).value(), 2000, 1e-9) << now;
    EXPECT_NEAR(rate.ci95(at(now))->low, 2000, 1e-9);
    EXPECT_NEAR(rate.relative_half_width(at(now)).value(), 0, 1e-12);
  }
  rate.clear(at(200.7));
  EXPECT_FALSE(rate.mean(at(200.7)));
  EXPECT_NEAR(rate.mean(at(201.7)).value(), 2000, 1e-9) << "a lump under way counts by the part";
  rate.add(at(202), 4);
  rate.add(at(204), 4);
  EXPECT_NEAR(rate.mean(at(205.1)).value(), 2000, 1e-9);
}

TEST(RateMeans, what_has_stopped_is_counted_over_the_elapsed_time_and_has_no_interval) {
  RateMeans rate;
  const auto at = [](double ms) { return Time::zero() + milliseconds(ms); };
  for (int i = 1; i <= 99; ++i) rate.add(at(19.0 * i), 1);
  EXPECT_FALSE(rate.stalled(at(1900)));
  EXPECT_TRUE(rate.ci95(at(1900)));
  for (const double now : {4e3, 20e3, 50e3}) {
    EXPECT_TRUE(rate.stalled(at(now)));
    EXPECT_FALSE(rate.ci95(at(now)) || rate.relative_half_width(at(now)));
    EXPECT_NEAR(rate.amount(at(now)).value(), 100, 1e-6);
    EXPECT_NEAR(rate.mean(at(now)).value(), 100e3 / now, 1e-6);
  }
}

TEST(RateMeans, one_lump_tells_no_rate) {
  RateMeans rate;
  EXPECT_FALSE(rate.amount(Time::zero() + milliseconds(1)));
  rate.add(Time::zero() + milliseconds(5), 8);
  EXPECT_FALSE(rate.amount(Time::zero() + milliseconds(9)));
  EXPECT_FALSE(rate.stalled(Time::zero() + milliseconds(9)));
}

// Latencies of M/D/1 at 70 % load by Lindley's recursion, starting empty behind a warm-up.
std::vector<double> waits(std::uint64_t seed, int count) {
  RandomStream random(seed, "waits");
  std::vector<double> found;
  double wait = 0;
  for (int i = 0; i < count + 1000; ++i) {
    wait = std::max(0.0, wait + 1 - random.exponential(1 / 0.7));
    if (i >= 1000) found.push_back(wait + 1);
  }
  return found;
}

TEST(Series, intervals_of_mean_and_quantiles_cover_those_of_a_queue) {
  Quantiles truth;
  for (const double x : waits(1, 2'000'000)) truth.add(x);
  constexpr int runs = 200;
  std::array<int, 4> covered{};
  const std::vector<double> shares{0.5, 0.9, 0.99};
  for (int run = 0; run < runs; ++run) {
    Series series;
    for (const double x : waits(100 + static_cast<std::uint64_t>(run), 4000)) series.add(x);
    const auto count = [&](std::size_t which, const std::optional<Interval>& interval, double is) {
      ASSERT_TRUE(interval);
      covered[which] += interval->low <= is && is <= interval->high ? 1 : 0;
    };
    count(0, series.mean_ci95(), *truth.mean());
    const auto intervals = series.quantile_ci95(shares);
    for (std::size_t i = 0; i < shares.size(); ++i) count(i + 1, intervals[i], *truth.quantile(shares[i]));
  }
  for (const int each : covered) EXPECT_GE(each, 174) << "of 200: fewer come out of 90 % once in 15 times";
}

TEST(Series, has_no_interval_where_the_numbers_do_not_reach) {
  Series series;
  EXPECT_FALSE(series.mean_ci95());
  EXPECT_FALSE(series.quantile_ci95({0.5})[0]);
  RandomStream random(1, "few");
  for (int i = 0; i < 60; ++i) series.add(random.uniform());
  const auto intervals = series.quantile_ci95({0.5, 0.99});
  EXPECT_TRUE(intervals[0]);
  EXPECT_FALSE(intervals[1]) << "60 numbers do not hold the 99th percentile";
}

TEST(Series, of_one_number_is_known_exactly) {
  Series series;
  for (int i = 0; i < 20; ++i) series.add(3);
  const auto interval = series.quantile_ci95({0.99})[0];
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 3);
  EXPECT_EQ(interval->high, 3);
}

TEST(Series, of_very_many_numbers_is_thinned_evenly) {
  Series series;
  for (std::size_t i = 0; i < 3 * Series::max_kept; ++i) series.add(static_cast<double>(i));
  EXPECT_LE(series.kept(), Series::max_kept);
  EXPECT_GE(series.kept(), Series::max_kept / 2);
}

TEST(Quantiles, few_numbers_are_exact_and_interpolated) {
  Quantiles quantiles;
  EXPECT_FALSE(quantiles.quantile(0.5));
  for (const double x : {4.0, 1.0, 3.0, 2.0}) quantiles.add(x);
  EXPECT_DOUBLE_EQ(quantiles.quantile(0).value(), 1);
  EXPECT_DOUBLE_EQ(quantiles.quantile(0.5).value(), 2.5);
  EXPECT_DOUBLE_EQ(quantiles.quantile(1).value(), 4);
  EXPECT_DOUBLE_EQ(quantiles.mean().value(), 2.5);
}

TEST(Quantiles, many_numbers_are_within_the_stated_error) {
  Quantiles exact;
  Quantiles binned(100);
  RandomStream random(3, "quantiles");
  for (int i = 0; i < 100'000; ++i) {
    const double x = 1e-3 * random.lognormal_unit_mean(1);
    exact.add(x);
    binned.add(x);
  }
  EXPECT_TRUE(exact.exact());
  EXPECT_FALSE(binned.exact());
  for (const double p : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const double truth = exact.quantile(p).value();
    EXPECT_NEAR(binned.quantile(p).value(), truth, Quantiles::relative_error * truth) << p;
  }
}

TEST(Quantiles, negative_numbers_and_zero_have_bins_too) {
  Quantiles binned(1);
  for (const double x : {-8.0, -1.0, 0.0, 1.0, 8.0}) binned.add(x);
  EXPECT_NEAR(binned.quantile(0).value(), -8, 8 * Quantiles::relative_error);
  EXPECT_DOUBLE_EQ(binned.quantile(0.5).value(), 0);
  EXPECT_NEAR(binned.quantile(1).value(), 8, 8 * Quantiles::relative_error);
}

TEST(TimeWeighted, integrates_and_forgets_the_warm_up) {
  TimeWeighted length;
  EXPECT_FALSE(length.mean(Time::zero()));
  length.set(Time::zero() + seconds(1), 2);
  length.add(Time::zero() + seconds(3), -1);
  EXPECT_DOUBLE_EQ(length.integral(Time::zero() + seconds(5)), 6);
  EXPECT_DOUBLE_EQ(length.mean(Time::zero() + seconds(5)).value(), 1.2);
  length.restart(Time::zero() + seconds(5));
  EXPECT_DOUBLE_EQ(length.mean(Time::zero() + seconds(6)).value(), 1);
}

}  // namespace
}  // namespace jostle::sim
