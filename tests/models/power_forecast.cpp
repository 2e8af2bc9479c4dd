// Where a board's temperature settles under a load whose leakage follows it.
#include <gtest/gtest.h>

#include <cmath>

#include "models/power/controllers/forecast.hpp"

namespace jostle::power {
namespace JOSTLE_FILE {

Thermal cool_board(double ambient_c = 25) {
  const ThermalSpec spec{
      .stages = {{.resistance_k_per_w = 0.4, .resistance_without_k_per_w = 0.4, .capacity_j_per_k = 8},
                 {.resistance_k_per_w = 1.6, .resistance_without_k_per_w = 5, .capacity_j_per_k = 50}},
      .fan_curve = {},
      .passive_c = 99,
      .critical_c = {}};
  return {spec, ambient_c, false, 8, 8};
}

constexpr LoadPower leaky{.constant_w = 8, .leakage_w = 1, .reference_c = 45, .growth_k = 60};

TEST(Forecast, settles_where_the_power_keeps_the_temperature) {
  const Forecast ahead = forecast(cool_board(), leaky, 99);
  EXPECT_FALSE(ahead.trips);
  EXPECT_NEAR(ahead.celsius, 25 + 5.4 * leaky.watts(ahead.celsius), 1e-4);
  EXPECT_NEAR(ahead.watts, cool_board().watts_at(ahead.celsius), 1e-4);
  EXPECT_NEAR(ahead.thermal.celsius(), ahead.celsius, 1e-9);
}

TEST(Forecast, is_within_a_kelvin_after_the_time_that_it_says) {
  const Forecast ahead = forecast(cool_board(), leaky, 99);
  Thermal thermal = cool_board();
  for (sim::Duration t; t < ahead.after; t += thermal.polling())
    thermal.advance(leaky.watts(thermal.celsius()), thermal.polling());
  EXPECT_NEAR(thermal.celsius(), ahead.celsius, 1.5);
  EXPECT_GT(ahead.after, sim::seconds(600));  // a time constant is 250 s
}

TEST(Forecast, ends_at_the_trip_point) {
  const Forecast ahead = forecast(cool_board(), {.constant_w = 20}, 99);
  EXPECT_TRUE(ahead.trips);
  EXPECT_GE(ahead.celsius, 99);
  EXPECT_LT(ahead.celsius, 100);
  // 74 K = 8 (1 - exp(-t / 3.2)) + 100 (1 - exp(-t / 250)) at 20 W.
  EXPECT_NEAR(sim::to_seconds(ahead.after), -250 * std::log(0.34), 1.01);
}

TEST(Forecast, of_leakage_that_runs_away_ends_at_the_trip_point) {
  EXPECT_TRUE(
      forecast(cool_board(), {.constant_w = 5, .leakage_w = 4, .reference_c = 45, .growth_k = 20}, 99).trips);
}

TEST(Forecast, goes_on_above_a_trip_point_that_changes_nothing) {
  const Forecast ahead = forecast(cool_board(), {.constant_w = 14.5}, 104.5);
  EXPECT_FALSE(ahead.trips);
  EXPECT_NEAR(ahead.celsius, 25 + 5.4 * 14.5, 1e-4);
}

TEST(Forecast, cools_down_to_the_same_place) {
  Thermal warm = cool_board();
  warm.settle(12);
  EXPECT_NEAR(forecast(warm, leaky, 99).celsius, forecast(cool_board(), leaky, 99).celsius, 1e-3);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::power
