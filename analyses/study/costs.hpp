// From prices to what a service costs: an hour, and a million images.
#pragma once

#include "input/cursor.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::analyses {

// How boards that are bought are paid. Prices in USD; a study may use another currency throughout.
struct Costs {
  double life_h = 3 * 8760;       // over which a board's price is spread
  double energy_usd_per_kwh = 0;  // 0: energy is not counted

  // USD an hour of boards of this price together that draw this power.
  [[nodiscard]] double per_hour(double price_usd, double watts) const;
};

// Reads `life` and `energy_price`.
void read_costs(input::Mapping& mapping, Costs& costs);

// USD of a million images; none where no images are served.
[[nodiscard]] scenarios::Metric per_million(double usd_per_h, double images_per_s);

}  // namespace jostle::analyses
