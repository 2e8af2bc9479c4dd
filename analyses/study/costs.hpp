// Turns prices into the costs of a service: per hour, and per million images.
#pragma once

#include "input/cursor.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// The costs of boards that are bought. Prices are in USD; a study may use another currency throughout.
struct Costs {
  double life_h = 3 * 8760;       // time over which a board's price is spread
  double energy_usd_per_kwh = 0;  // 0: energy is not counted

  // USD per hour for boards with this total price and power.
  [[nodiscard]] double per_hour(double price_usd, double watts) const;
};

// Reads `energy_price`.
void read_energy_price(input::Mapping& mapping, double& usd_per_kwh);
// Reads `life` and `energy_price`.
void read_costs(input::Mapping& mapping, Costs& costs);

// USD per million images; none if no images are served.
[[nodiscard]] scenarios::Metric per_million(double usd_per_h, double images_per_s);

}  // namespace jostle::analyses
