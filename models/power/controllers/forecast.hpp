// Where the temperature of a board settles if its load stays as it is, and when.
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
  Thermal thermal;  // then
  double celsius = 0, watts = 0;
  sim::Duration after;  // until it is there, within 1 K
  bool trips = false;   // it reaches the trip point: that is how far this goes
};

// The thermal path under that power, from the state of `thermal` on. `trip_c`: a trip point, from which on
// the power is another.
[[nodiscard]] Forecast forecast(Thermal thermal, const LoadPower& load, double trip_c);

}  // namespace jostle::power
