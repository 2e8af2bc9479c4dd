#include "models/dnn/factors.hpp"

#include <cstdlib>

namespace jostle::dnn {

const Factor* find_factor(std::span<const Factor> factors, const FactorOf& of) {
  const auto& [device, model, family, precision, lowering] = of;
  const Factor* best = nullptr;
  int best_distance = 0;
  for (const Factor& factor : factors) {
    if (factor.family != family || factor.lowering != lowering) continue;
    if (!factor.device.empty()) {
      if (factor.device == device && factor.model == model && factor.precision == precision) return &factor;
      continue;
    }
    // Twice the number of steps between the two precisions, plus one if the factor's is the wider.
    const int steps = static_cast<int>(factor.precision) - static_cast<int>(precision);
    const int distance = 2 * std::abs(steps) + (steps < 0 ? 1 : 0);
    if (best == nullptr || distance < best_distance) {
      best = &factor;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace jostle::dnn
