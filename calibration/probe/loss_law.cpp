#include "calibration/probe/loss_law.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::calibration::probe {
namespace {

constexpr double least_ms = 0.002, most_ms = 30, step = 1.02;

// The best whole for a time constant, and the sum of squares that is left.
struct WholeFit {
  double whole = 0, squares = 0;
};
WholeFit fit_whole(const std::vector<LossPoint>& points, double constant_ms, std::size_t without) {
  double above = 0, below = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == without) continue;
    const double ratio = (1 - std::exp(-points[i].ms / constant_ms)) / points[i].debt;
    above += ratio;
    below += ratio * ratio;
  }
  WholeFit found{.whole = above / below};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == without) continue;
    const double residual = found.whole * (1 - std::exp(-points[i].ms / constant_ms)) / points[i].debt - 1;
    found.squares += residual * residual;
  }
  return found;
}

// The best time constant of the points without one of them; an index beyond them leaves none out.
double best_constant(const std::vector<LossPoint>& points, std::size_t without) {
  double best = least_ms;
  for (double constant = least_ms; constant <= most_ms; constant *= step)
    if (fit_whole(points, constant, without).squares < fit_whole(points, best, without).squares)
      best = constant;
  return best;
}

}  // namespace

double LossLaw::lost(double ms) const {
  return 1 - std::exp(-ms / time_constant_ms.value);
}

std::optional<LossLaw> fit_loss_law(const std::vector<LossPoint>& points) {
  if (points.size() < 4 || std::ranges::any_of(points, [](const LossPoint& at) { return !(at.debt > 0); }))
    return std::nullopt;
  LossLaw law;
  const double best = best_constant(points, points.size());
  if (best <= least_ms * step || best >= most_ms / step) return std::nullopt;
  law.whole = fit_whole(points, best, points.size()).whole;
  const auto n = static_cast<double>(points.size());
  double squares = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double moved = std::log(best_constant(points, i) / best);
    squares += moved * moved;
  }
  // The jackknife's variance of the logarithm; a step of the search is the least that is known.
  law.time_constant_ms = {best, std::max(std::sqrt((n - 1) / n * squares), step - 1), points.size()};
  return law;
}

}  // namespace jostle::calibration::probe
