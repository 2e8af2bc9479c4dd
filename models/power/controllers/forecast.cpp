#include "models/power/controllers/forecast.hpp"

#include <cmath>
#include <utility>

namespace jostle::power {
namespace {

// How far the temperature is from the steady state that the present power would lead to, in kelvins.
double distance_from_steady_state(Thermal thermal, const LoadPower& load) {
  const double celsius = thermal.celsius();
  thermal.settle(load.watts(celsius));
  return std::fabs(thermal.celsius() - celsius);
}

}  // namespace

Forecast forecast(Thermal thermal, const LoadPower& load, double trip_c) {
  constexpr int max_polls = 100'000, polls_per_check = 8;
  constexpr double near_k = 1, settled_k = 1e-6;
  sim::Duration after;
  for (int poll = 0; poll < max_polls && thermal.celsius() < trip_c; ++poll) {
    if (poll % polls_per_check == 0 && distance_from_steady_state(thermal, load) < near_k) break;
    thermal.advance(load.watts(thermal.celsius()), thermal.polling());
    after += thermal.polling();
  }
  // The last kelvin takes no simulated time: iterates to the fixed point of temperature and power. The steps
  // shrink, unless leakage runs away.
  for (int i = 0; i < max_polls && thermal.celsius() < trip_c; ++i) {
    const double before = thermal.celsius();
    thermal.settle(load.watts(before));
    if (std::fabs(thermal.celsius() - before) < settled_k) break;
  }
  const double celsius = thermal.celsius();
  return {std::move(thermal), celsius, load.watts(celsius), after, celsius >= trip_c};
}

}  // namespace jostle::power
