// Logarithm, exponential and random numbers: right, and the same everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/math.hpp"
#include "sim/random.hpp"

namespace jostle::sim {
namespace JOSTLE_FILE {

// How far off, in units of the last place of the true value.
double ulps(double got, long double truth) {
  const double rounded = std::fabs(static_cast<double>(truth));
  const double unit = std::nextafter(rounded, std::numeric_limits<double>::infinity()) - rounded;
  return static_cast<double>(
      std::fabs((static_cast<long double>(got) - truth) / static_cast<long double>(unit)));
}

TEST(Math, log_is_within_one_unit_in_the_last_place) {
  RandomStream random(1, "log");
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    const double near_one = 0.5 + 1.5 * random.uniform();
    const double anywhere =
        std::ldexp(0.5 + random.uniform() / 2, static_cast<int>(random.below(2090)) - 1070);
    worst = std::max(worst, ulps(log(near_one), std::log(static_cast<long double>(near_one))));
    worst = std::max(worst, ulps(log(anywhere), std::log(static_cast<long double>(anywhere))));
  }
  EXPECT_LE(worst, 1.0);
}

TEST(Math, exp_is_within_one_unit_in_the_last_place) {
  RandomStream random(1, "exp");
  double worst = 0;
  for (int i = 0; i < 300'000; ++i) {
    for (const double x : {2 * random.uniform() - 1, 1450 * random.uniform() - 740}) {
      if (x < 709) worst = std::max(worst, ulps(exp(x), std::exp(static_cast<long double>(x))));
    }
  }
  EXPECT_LE(worst, 1.0);
}

TEST(Math, limits_are_those_of_ieee) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(log(1), 0);
  EXPECT_EQ(log(0), -infinity);
  EXPECT_TRUE(std::isnan(log(-1)));
  EXPECT_EQ(log(infinity), infinity);
  EXPECT_EQ(exp(0), 1);
  EXPECT_EQ(exp(710), infinity);
  EXPECT_EQ(exp(-746), 0);
  EXPECT_EQ(exp(-infinity), 0);
  EXPECT_TRUE(std::isnan(exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Math, several_numbers_at_once_have_the_same_bits_as_one_by_one) {
  RandomStream random(11, "together");
  for (int i = 0; i < 20'000; ++i) {
    std::array<double, 4> logarithms{};
    std::array<double, 8> exponentials{};
    for (double& x : logarithms) x = random.uniform() + 0x1p-53;
    for (double& x : exponentials) x = 1400 * random.uniform() - 700;
    const auto of_logarithms = logarithms;
    const auto of_exponentials = exponentials;
    log_each(logarithms);
    exp_each(exponentials);
    for (std::size_t j = 0; j < logarithms.size(); ++j) ASSERT_EQ(logarithms[j], log(of_logarithms[j]));
    for (std::size_t j = 0; j < exponentials.size(); ++j) ASSERT_EQ(exponentials[j], exp(of_exponentials[j]));
  }
}

TEST(Random, factors_drawn_ahead_are_those_of_the_stream) {
  for (const double variation : {0.0, 1e-9, 0.05, 0.7, 3.0}) {
    RandomStream random(5, "factors");
    LognormalFactors factors(random, variation);
    for (int i = 0; i < 1001; ++i) ASSERT_EQ(factors.next(), random.lognormal_unit_mean(variation));
  }
}

// Fails if any operation on the way is not what IEEE says, or an algorithm is changed: results would change.
TEST(Random, streams_are_the_same_on_every_machine) {
  RandomStream random(42, "golden");
  std::uint64_t hash = 0;
  for (int i = 0; i < 10'000; ++i) {
    for (const double x : {random.uniform(), random.exponential(2), random.normal(0, 1),
                           random.lognormal_unit_mean(0.3), static_cast<double>(random.below(1000))}) {
      hash = std::rotl(hash, 5) * 0x9e3779b97f4a7c15ULL ^ std::bit_cast<std::uint64_t>(x);
    }
  }
  EXPECT_EQ(hash, 7821989827007091939ULL);
}

struct Moments {
  double mean = 0;
  double variance = 0;
};
template <class Draw>
Moments moments(Draw draw, int n = 400'000) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  return {sum / n, squares / n - sum / n * sum / n};
}

TEST(Random, distributions_have_their_moments) {
  RandomStream random(7, "moments");
  const Moments uniform = moments([&] { return random.uniform(); });
  EXPECT_NEAR(uniform.mean, 0.5, 0.002);
  EXPECT_NEAR(uniform.variance, 1.0 / 12, 0.001);
  const Moments exponential = moments([&] { return random.exponential(3); });
  EXPECT_NEAR(exponential.mean, 3, 0.02);
  EXPECT_NEAR(exponential.variance, 9, 0.2);
  const Moments normal = moments([&] { return random.normal(5, 2); });
  EXPECT_NEAR(normal.mean, 5, 0.015);
  EXPECT_NEAR(normal.variance, 4, 0.05);
  const Moments lognormal = moments([&] { return random.lognormal_unit_mean(0.5); });
  EXPECT_NEAR(lognormal.mean, 1, 0.004);
  EXPECT_NEAR(lognormal.variance, 0.25, 0.01);
  EXPECT_EQ(random.lognormal_unit_mean(0), 1);
}

TEST(Random, below_hits_every_value_equally_often) {
  RandomStream random(7, "below");
  std::vector<int> hits(7);
  for (int i = 0; i < 70'000; ++i) ++hits[random.below(7)];
  for (const int h : hits) EXPECT_NEAR(h, 10'000, 500);
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, streams_of_different_names_or_seeds_are_uncorrelated) {
  const auto correlation = [](RandomStream a, RandomStream b) {
    double products = 0;
    for (int i = 0; i < 100'000; ++i) products += (a.uniform() - 0.5) * (b.uniform() - 0.5);
    return products / 100'000 * 12;
  };
  EXPECT_NEAR(correlation({1, "process 0"}, {1, "process 1"}), 0, 0.015);
  EXPECT_NEAR(correlation({1, "process 0"}, {2, "process 0"}), 0, 0.015);
  EXPECT_NEAR(correlation({0, ""}, {1, ""}), 0, 0.015);
  EXPECT_NEAR(correlation({1, "a"}, {1, "a"}), 1, 0.015);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::sim
