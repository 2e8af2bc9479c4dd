#include "analyses/study/costs.hpp"

#include "input/readers.hpp"

namespace jostle::analyses {
namespace {

constexpr double longest_life_h = 1e6, most_usd = 1e6;

}  // namespace

double Costs::per_hour(double price_usd, double watts) const {
  return price_usd / life_h + watts / 1e3 * energy_usd_per_kwh;
}

void read_energy_price(input::Mapping& mapping, double& usd_per_kwh) {
  mapping.optional("energy_price", usd_per_kwh,
                   input::Quantity{input::price_per_energy_dimension(), 0, most_usd});
}

void read_costs(input::Mapping& mapping, Costs& costs) {
  mapping.optional("life", costs.life_h,
                   input::Quantity{input::service_life_dimension(), 0, longest_life_h, true});
  read_energy_price(mapping, costs.energy_usd_per_kwh);
}

scenarios::Metric per_million(double usd_per_h, double images_per_s) {
  if (!(images_per_s > 0)) return std::nullopt;
  return usd_per_h / (images_per_s * 3600) * 1e6;
}

}  // namespace jostle::analyses
