#include "sim/settling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/batch_means.hpp"

namespace jostle::sim {

std::optional<std::size_t> mser5(std::span<const double> numbers) {
  constexpr std::size_t batch = 5, fewest_batches = 10, fewest_kept = 5;
  constexpr double equal_within = 1e-3;
  const std::size_t batches = numbers.size() / batch;
  if (batches < fewest_batches) return std::nullopt;
  std::size_t best = 0, kept = 0;
  double least = std::numeric_limits<double>::infinity();
  double mean = 0, squares = 0;  // mean of the kept batches, and sum of the squares of their deviations
  for (std::size_t cut = batches; cut-- > 0;) {
    double sum = 0;
    for (const double x : numbers.subspan(cut * batch, batch)) sum += x;
    const double deviation = sum / batch - mean;
    ++kept;
    mean += deviation / static_cast<double>(kept);
    squares += deviation * (sum / batch - mean);
    const auto n = static_cast<double>(kept);
    const double unit = equal_within * mean;
    const double error = std::max(squares, n * unit * unit) / (n * n);
    if (kept < fewest_kept || error > least) continue;
    least = error;
    best = cut;
  }
  if (best > batches / 2) return std::nullopt;
  return best * batch;
}

bool Halves::differ(double tolerance) const {
  const double difference = std::fabs(second - first);
  return difference > tolerance * std::max(std::fabs(first), std::fabs(second)) &&
         difference > 2 * half_width;
}

std::optional<Halves> halves(std::span<const double> numbers, double lump) {
  const std::size_t half = numbers.size() / 2;
  BatchMeans first, second;
  for (std::size_t i = 0; i < half; ++i) {
    first.add(numbers[i]);
    second.add(numbers[i + numbers.size() - half]);
  }
  const auto a = first.ci95(), b = second.ci95();
  if (!a || !b) return std::nullopt;
  const double a_half = (a->high - a->low) / 2, b_half = (b->high - b->low) / 2;
  const Halves found{*first.mean(), *second.mean(), std::sqrt(a_half * a_half + b_half * b_half) + lump};
  if (8 * lump >= std::max(found.first, found.second) && lump > 0) return std::nullopt;
  return found;
}

}  // namespace jostle::sim
