#include "models/dnn/factors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <tuple>

#include "models/dnn/model_names.hpp"

namespace jostle::dnn {
namespace {

// Twice the number of steps between the two precisions, plus one if the factor's is the wider.
int distance(Precision of_factor, Precision wanted) {
  const int steps = static_cast<int>(of_factor) - static_cast<int>(wanted);
  return 2 * std::abs(steps) + (steps < 0 ? 1 : 0);
}

// Distance of a factor from the wanted conditions; smaller is better. Factors of the network come before
// those of the family; then precision or GPU decides, then the batch of timed layers.
using Rank = std::tuple<bool, int, double>;

double batch_ratio(std::int64_t a, std::int64_t b) {
  if (a < 1 || b < 1) return 1;
  return static_cast<double>(std::max(a, b)) / static_cast<double>(std::min(a, b));
}

// tf32 runs on tensor cores, fp32 never does, so a factor of one says nothing of the other.
bool on_other_units(Precision a, Precision b) {
  return std::minmax({a, b}) == std::minmax({Precision::fp32, Precision::tf32});
}

std::optional<Rank> rank(const Factor& factor, const FactorOf& of) {
  if (factor.family != of.family || factor.lowering != of.lowering) return std::nullopt;
  if (on_other_units(factor.precision, of.precision)) return std::nullopt;
  if (factor.model.empty()) return Rank{true, distance(factor.precision, of.precision), 1};
  if (factor.model != of.model || factor.chip.architecture != of.chip.architecture) return std::nullopt;
  const int sms = std::abs(factor.chip.sms - of.chip.sms);
  // A built-in network may have the name of its family, so the name alone does not show a network from a
  // file.
  if (factor.precision != of.precision &&
      (factor.model != factor.family || find_model(factor.model) != nullptr))
    return std::nullopt;
  constexpr int more_than_any_sms = 1'000'000;
  return Rank{false, sms + more_than_any_sms * distance(factor.precision, of.precision),
              batch_ratio(factor.batch, of.batch)};
}

}  // namespace

const Factor* find_factor(std::span<const Factor> factors, const FactorOf& of) {
  const Factor* best = nullptr;
  std::optional<Rank> least;
  for (const Factor& factor : factors) {
    const auto found = rank(factor, of);
    if (!found || (least && *least <= *found)) continue;
    best = &factor;
    least = found;
  }
  return best;
}

std::vector<Factor> with_own(std::span<const Factor> own, std::span<const Factor> others) {
  const auto replaced = [&own](const Factor& other) {
    return std::ranges::any_of(own, [&](const Factor& factor) {
      return (factor.model.empty() || (factor.model == other.model && factor.chip == other.chip)) &&
             factor.family == other.family && factor.precision == other.precision &&
             factor.lowering == other.lowering;
    });
  };
  std::vector<Factor> all(own.begin(), own.end());
  for (const Factor& other : others)
    if (!replaced(other)) all.push_back(other);
  return all;
}

}  // namespace jostle::dnn
