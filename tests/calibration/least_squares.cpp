#include "calibration/fit/least_squares.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace jostle::calibration {
namespace JOSTLE_FILE {

// Times of runs with n launches of a microseconds each after b microseconds: a known to the rows, b too, c to
// none.
std::vector<std::vector<double>> times(std::span<const std::vector<double>> points) {
  std::vector<std::vector<double>> rows;
  for (const auto& x : points) rows.push_back({x[1] + 10 * x[0], x[1] + 50 * x[0], x[1] + 200 * x[0]});
  return rows;
}

std::vector<Parameter> parameters() {
  return {{"a", 8, 0.7, 0.8, 80}, {"b", 40, 0.7, 4, 400}, {"c", 1, 0.5, 0.1, 10}};
}

std::vector<Measured> measured_at(double a, double b) {
  const std::vector<std::vector<double>> point{{a, b, 1}};
  const auto found = times(point);
  std::vector<Measured> rows;
  for (const double time : found.front()) rows.push_back({time, 0.01});
  return rows;
}

RC_GTEST_PROP(Fit, recovers_what_made_the_rows, ()) {
  const double a = *rc::gen::inRange(20, 300) / 10.0, b = *rc::gen::inRange(20, 150);
  const LogFit found = fit(parameters(), measured_at(a, b), times);
  RC_ASSERT(std::abs(found.values[0] / a - 1) < 0.05);
  RC_ASSERT(std::abs(found.values[1] / b - 1) < 0.10);
  RC_ASSERT(identified(found.variance_left[0]));
}

TEST(Fit, leaves_what_no_row_depends_on_at_its_prior) {
  const LogFit found = fit(parameters(), measured_at(6, 50), times);
  EXPECT_NEAR(found.values[2], 1, 1e-6);
  EXPECT_NEAR(found.variance_left[2], 1, 1e-6);
  EXPECT_FALSE(identified(found.variance_left[2]));
}

TEST(Fit, weighs_rows_and_priors_by_their_variances) {
  // One parameter, one row, ln x ~ N(0, 0.3) before and measured e with 0.1: the mean of a normal posterior.
  const std::vector<Parameter> one{{"x", 1, 0.3, 0.01, 100}};
  const std::vector<Measured> row{{std::exp(0.1), 0.1}};
  const LogFit found = fit(one, row, [](std::span<const std::vector<double>> points) {
    return std::vector<std::vector<double>>(points.begin(), points.end());
  });
  EXPECT_NEAR(std::log(found.values[0]), 0.1 * 0.09 / (0.09 + 0.01), 1e-3);
  EXPECT_NEAR(found.covariance[0], 0.09 * 0.01 / (0.09 + 0.01), 1e-5);
}

TEST(Fit, is_hardly_moved_by_one_wild_row) {
  auto rows = measured_at(6, 50);
  for (int i = 0; i < 5; ++i) rows.push_back(rows[static_cast<std::size_t>(i) % 3]);
  rows.push_back({rows[1].value * 5, 0.01});
  const LogFit found = fit(parameters(), rows, [](std::span<const std::vector<double>> points) {
    auto all = times(points);
    for (auto& of : all) of.insert(of.end(), {of[0], of[1], of[2], of[0], of[1], of[1]});
    return all;
  });
  EXPECT_NEAR(found.values[0], 6, 0.3);
}

TEST(Fit, stays_within_its_bounds) {
  auto narrow = parameters();
  narrow[0].upper = 9;
  const LogFit found = fit(narrow, measured_at(20, 50), times);
  EXPECT_LE(found.values[0], 9 * (1 + 1e-9));
}

TEST(Fit, refuses_priors_outside_their_bounds_and_rows_that_cannot_be) {
  auto wrong = parameters();
  wrong[1].lower = 50;
  EXPECT_THROW((void)fit(wrong, measured_at(6, 50), times), std::invalid_argument);
  EXPECT_THROW((void)fit(parameters(), std::vector<Measured>{{0, 0.1}}, times), std::invalid_argument);
  EXPECT_THROW((void)fit({}, measured_at(6, 50), times), std::invalid_argument);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
