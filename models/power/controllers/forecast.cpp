#include "models/power/controllers/forecast.hpp"

#include <cmath>
#include <utility>

namespace jostle::power {

namespace {

// The distance of the temperature from the steady state of the power that it causes.
double distance(Thermal thermal, const LoadPower& load) {
  const double celsius = thermal.celsius();
  thermal.settle(load.watts(celsius));
  return std::fabs(thermal.celsius() - celsius);
}

}  // namespace

Forecast forecast(Thermal thermal, const LoadPower& load, double trip_c) {
  constexpr int most_polls = 100'000, polls_a_look = 8;
  constexpr double there_k = 1, settled_k = 1e-6;
  sim::Duration after;
  for (int poll = 0; poll < most_polls && thermal.celsius() < trip_c; ++poll) {
    if (poll % polls_a_look == 0 && distance(thermal, load) < there_k) break;
    thermal.advance(load.watts(thermal.celsius()), thermal.polling());
    after += thermal.polling();
  }
  // The last kelvin: each step is shorter than the previous one, unless leakage runs away.
  for (int i = 0; i < most_polls && thermal.celsius() < trip_c; ++i) {
    const double before = thermal.celsius();
    thermal.settle(load.watts(before));
    if (std::fabs(thermal.celsius() - before) < settled_k) break;
  }
  const double celsius = thermal.celsius();
  return {std::move(thermal), celsius, load.watts(celsius), after, celsius >= trip_c};
}

}  // namespace jostle::power
