// The temperature at which a board settles if its load stays the same, and the time until then.
#pragma once

#include "models/power/controllers/thermal.hpp"
#include "sim/math.hpp"

namespace jostle::power {

// Power of a load at any temperature: only leakage depends on it.
struct LoadPower {
  double constant_w = 0;
  double leakage_w = 0;  // at the reference temperature
  double reference_c = 0, growth_k = 1;
  [[nodiscard]] double watts(double celsius) const {
    return constant_w + leakage_w * sim::exp((celsius - reference_c) / growth_k);
  }
};

struct Forecast {
  Thermal thermal;  // state at the end of the forecast
  double celsius = 0, watts = 0;
  sim::Duration after;  // time until the temperature is within 1 K of `celsius`
  bool trips = false;   // the temperature reaches the trip point
};

// Forecasts the temperature under this load, from the state of `thermal` to the steady state or to the trip
// point `trip_c`, at which the power would change.
[[nodiscard]] Forecast forecast(Thermal thermal, const LoadPower& load, double trip_c);

}  // namespace jostle::power
