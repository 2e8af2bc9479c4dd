#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "analyses/interval/spread.hpp"
#include "profiles/profile/sobol.hpp"
#include "sim/random.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

double of(const std::vector<std::pair<std::size_t, double>>& indices, std::size_t input) {
  for (const auto& [at, index] : indices)
    if (at == input) return index;
  return 0;
}

// Ishigami and Homma 1990: sin x1 + 7 sin² x2 + 0.1 x3⁴ sin x1, with inputs from -π to π.
TEST(Sensitivity, of_the_function_of_Ishigami_is_that_of_theory) {
  for (const std::uint64_t seed : {1U, 20U, 300U}) {
    const auto points = profiles::sobol_points(1024, {seed, seed + 1, seed + 2});
    std::vector<double> values;
    for (std::size_t i = 0; i < 1024; ++i) {
      const auto x = [&](std::size_t input) { return std::numbers::pi * (2 * points[input][i] - 1); };
      values.push_back(std::sin(x(0)) + 7 * std::pow(std::sin(x(1)), 2) +
                       0.1 * std::pow(x(2), 4) * std::sin(x(0)));
    }
    const auto indices = first_order_indices(points, values);
    EXPECT_NEAR(of(indices, 0), 0.3139, 0.03) << seed;
    EXPECT_NEAR(of(indices, 1), 0.4424, 0.03) << seed;
    EXPECT_NEAR(of(indices, 2), 0, 0.02) << seed;
  }
}

// As in an interval: 64 draws of forty parameters, of which three matter.
TEST(Sensitivity, finds_the_parameters_that_matter_in_64_draws_of_forty) {
  double mean_first = 0, mean_second = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    sim::RandomStream random(seed, "keys");
    std::vector<std::uint64_t> keys;
    for (int i = 0; i < 40; ++i) keys.push_back(random.bits());
    const auto points = profiles::sobol_points(64, keys);
    std::vector<double> values;
    for (std::size_t i = 0; i < 64; ++i) {
      const auto z = [&](std::size_t input) { return profiles::normal_quantile(points[input][i]); };
      values.push_back(std::sqrt(0.7) * z(30) + std::sqrt(0.2) * z(7) + std::sqrt(0.08) * z(12) +
                       std::sqrt(0.02) * random.normal(0, 1));
    }
    const auto indices = first_order_indices(points, values);
    ASSERT_FALSE(indices.empty()) << seed;
    EXPECT_EQ(indices[0].first, 30U) << seed;
    EXPECT_NEAR(of(indices, 30), 0.7, 0.25) << seed;
    mean_first += of(indices, 30) / 20;
    mean_second += of(indices, 7) / 20;
  }
  EXPECT_NEAR(mean_first, 0.7, 0.04);
  EXPECT_NEAR(mean_second, 0.2, 0.05);
}

TEST(Sensitivity, finds_nothing_in_noise) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    sim::RandomStream random(seed, "noise");
    std::vector<std::uint64_t> keys;
    for (int i = 0; i < 40; ++i) keys.push_back(random.bits());
    std::vector<double> values;
    for (int i = 0; i < 64; ++i) values.push_back(random.normal(0, 1));
    found += first_order_indices(profiles::sobol_points(64, keys), values).empty() ? 0 : 1;
  }
  EXPECT_LE(found, 15);
  EXPECT_TRUE(first_order_indices({std::vector<double>(64, 0.5)}, std::vector<double>(64, 1.0)).empty());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
