// The cheapest combination of kinds of boards.
#include <algorithm>
#include <limits>
#include <utility>

#include "analyses/fleet/fleet.hpp"

namespace jostle::analyses {

FleetMix cheapest_mix(std::int64_t cameras, const std::vector<std::int64_t>& capacities,
                      const std::vector<double>& prices) {
  struct State {
    double price = std::numeric_limits<double>::infinity();
    std::int64_t boards = 0;
    std::size_t last = 0;
  };
  // Dynamic programming: cheapest[n] is the cheapest set of boards for n cameras.
  std::vector<State> cheapest(static_cast<std::size_t>(cameras) + 1);
  cheapest[0].price = 0;
  for (std::int64_t n = 1; n <= cameras; ++n) {
    State& here = cheapest[static_cast<std::size_t>(n)];
    for (std::size_t kind = 0; kind < capacities.size(); ++kind) {
      if (capacities[kind] < 1) continue;
      const State& before =
          cheapest[static_cast<std::size_t>(std::max<std::int64_t>(0, n - capacities[kind]))];
      const double price = before.price + prices[kind];
      if (std::pair(price, before.boards + 1) < std::pair(here.price, here.boards))
        here = {price, before.boards + 1, kind};
    }
  }
  FleetMix mix{.boards = std::vector<std::int64_t>(capacities.size()),
               .price = cheapest.back().price,
               .cameras = std::vector<std::int64_t>(capacities.size())};
  for (std::int64_t n = cameras; n > 0;) {
    const std::size_t kind = cheapest[static_cast<std::size_t>(n)].last;
    ++mix.boards[kind];
    mix.cameras[kind] += std::min(n, capacities[kind]);
    n -= capacities[kind];
  }
  return mix;
}

}  // namespace jostle::analyses
