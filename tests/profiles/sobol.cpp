#include "profiles/profile/sobol.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sim/random.hpp"

namespace jostle::profiles {
namespace JOSTLE_FILE {

std::vector<std::uint64_t> keys(std::uint64_t seed, int count) {
  sim::RandomStream random(seed, "keys");
  std::vector<std::uint64_t> found;
  for (int i = 0; i < count; ++i) found.push_back(random.bits());
  return found;
}

TEST(SobolPoints, have_one_point_in_each_slice_of_every_dimension) {
  for (const std::size_t count : {1U, 16U, 64U, 1024U}) {
    for (const auto& of_dimension : sobol_points(count, keys(count, 100))) {
      std::set<std::size_t> slices;
      for (const double u : of_dimension) {
        ASSERT_TRUE(u > 0 && u < 1);
        slices.insert(static_cast<std::size_t>(u * static_cast<double>(count)));
      }
      EXPECT_EQ(slices.size(), count);
    }
  }
}

TEST(SobolPoints, have_one_point_in_each_square_of_the_first_two_dimensions) {
  const auto points = sobol_points(64, keys(5, 2));
  std::set<int> squares;
  for (std::size_t i = 0; i < 64; ++i)
    squares.insert(static_cast<int>(points[0][i] * 8) * 8 + static_cast<int>(points[1][i] * 8));
  EXPECT_EQ(squares.size(), 64U);
}

TEST(SobolPoints, are_other_points_for_another_key_and_the_same_for_one) {
  EXPECT_EQ(sobol_points(64, {1, 2}), sobol_points(64, {1, 2}));
  EXPECT_NE(sobol_points(64, {1, 2})[0], sobol_points(64, {3, 2})[0]);
  EXPECT_EQ(sobol_points(64, {1, 2})[1], sobol_points(64, {3, 2})[1]);
  EXPECT_TRUE(sobol_points(64, {}).empty());
}

TEST(SobolPoints, are_each_uniform_over_the_scramblings) {
  // The first point unscrambled is zero: only the scrambling spreads it.
  double sum = 0, squares = 0;
  for (const std::uint64_t key : keys(1, 2000)) {
    const double u = sobol_points(1, {key})[0][0];
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / 2000, 0.5, 0.02);
  EXPECT_NEAR(squares / 2000, 1.0 / 3, 0.02);
}

TEST(SobolPoints, integrate_a_smooth_function_better_than_random_ones) {
  // The mean of a product of ten factors is 1; 64 random points would be off by 0.1.
  double square = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto points = sobol_points(64, keys(seed, 10));
    double mean = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      double product = 1;
      for (const auto& of_dimension : points) product *= 1 + (of_dimension[i] - 0.5);
      mean += product / 64;
    }
    square += (mean - 1) * (mean - 1) / 50;
  }
  EXPECT_LT(std::sqrt(square), 0.06);
}

TEST(NormalQuantile, is_the_inverse_of_the_distribution) {
  for (const double p : {1e-10, 1e-4, 0.01, 0.05, 0.3, 0.5, 0.8, 0.975, 0.9999})
    EXPECT_NEAR(0.5 * std::erfc(-normal_quantile(p) / std::sqrt(2.0)), p, 1e-14 + 1e-12 * p) << p;
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::profiles
