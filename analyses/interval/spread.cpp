#include "analyses/interval/spread.hpp"

#include <algorithm>
#include <cmath>

#include "analyses/interval/sensitivity.hpp"
#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

constexpr double z = 1.6448536269514722;  // the 95 % quantile of a standard normal

// The 95 % quantile of Student's t (Cornish–Fisher expansion, within 1e-3 from 7 degrees of freedom on).
double student_t(std::size_t degrees_of_freedom) {
  const auto n = static_cast<double>(degrees_of_freedom);
  const double z3 = z * z * z;
  return z + (z3 + z) / (4 * n) + (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * n * n);
}

// A quantile of sorted numbers, median-unbiased for any distribution (Hyndman and Fan 1996, type 8).
double quantile(const std::vector<double>& sorted, double p) {
  const auto n = static_cast<double>(sorted.size());
  const double rank = std::clamp((n + 1.0 / 3) * p + 1.0 / 3, 1.0, n);
  const auto below = static_cast<std::size_t>(rank) - 1;
  const double part = rank - std::floor(rank);
  return below + 1 < sorted.size() ? sorted[below] + part * (sorted[below + 1] - sorted[below])
                                   : sorted[below];
}

std::vector<double> logs_of(const std::vector<scenarios::Metric>& values) {
  std::vector<double> found;
  for (const scenarios::Metric& value : values)
    if (value && *value > 0) found.push_back(sim::log(*value));
  return found;
}

struct Moments {
  double mean = 0, variance = 0;
};
Moments moments_of(const std::vector<double>& values) {
  Moments found;
  for (const double value : values) found.mean += value / static_cast<double>(values.size());
  for (const double value : values)
    found.variance += (value - found.mean) * (value - found.mean) / static_cast<double>(values.size() - 1);
  return found;
}

// Removes the part of a half-width that is due to chance.
double without(double chance, double side) {
  return std::sqrt(std::max(0.0, std::max(side, 0.0) * side - chance * chance));
}

// The shares of the parameters in their own variance, which is that of the draws without that of chance.
scenarios::NamedParameters shares_of(const MetricRuns& runs, const std::vector<profiles::Draw>& draws,
                                     double chance_variance) {
  std::vector<std::vector<double>> scores(draws.front().names.size());
  std::vector<double> values;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    if (!runs.drawn[i] || !(*runs.drawn[i] > 0)) continue;
    values.push_back(sim::log(*runs.drawn[i]));
    for (std::size_t j = 0; j < scores.size(); ++j) scores[j].push_back(draws[i].scores[j]);
  }
  const double variance = moments_of(values).variance;
  // If at least half of the draws' variance is chance, the draws cannot separate the effects of the
  // parameters.
  if (!(variance > 2 * chance_variance)) return {};
  scenarios::NamedParameters found;
  double sum = 0;
  for (const auto& [dimension, share] : first_order_indices(scores, values)) {
    found.emplace_back(draws.front().names[dimension], share * variance / (variance - chance_variance));
    sum += found.back().second;
  }
  for (auto& [name, share] : found) share /= std::max(sum, 1.0);
  return found;
}

}  // namespace

double Spread::parameters() const {
  return std::sqrt((below * below + above * above) / 2);
}

Spread Spread::of_process(std::size_t in_entry) const {
  Spread found = *this;
  if (in_entry < middles.size()) found.middle = middles[in_entry];
  return found;
}

Spread Spread::elsewhere() const {
  Spread found = *this;
  if (middle) found.chance *= std::sqrt(2 / (1 + 1.0 / static_cast<double>(repetitions)));
  found.middle.reset();
  found.middles.clear();
  return found;
}

Spread spread_of(const MetricRuns& runs, const std::vector<profiles::Draw>& draws, bool as_long) {
  const std::vector<double> repeated = logs_of(runs.repeated);
  std::vector<double> drawn = logs_of(runs.drawn);
  Spread found;
  found.known = runs.point && *runs.point > 0 && repeated.size() >= repetitions / 2 && !drawn.empty() &&
                20 * (runs.drawn.size() - drawn.size()) <= runs.drawn.size();
  if (!found.known) return found;
  const Moments of = moments_of(repeated);
  const double by_chance = z * std::sqrt(of.variance);
  std::ranges::sort(drawn);
  found.below = without(by_chance, of.mean - quantile(drawn, 0.05));
  found.above = without(by_chance, quantile(drawn, 0.95) - of.mean);
  std::vector<Moments> each;
  for (const std::vector<scenarios::Metric>& process : runs.individual) {
    const std::vector<double> logs = logs_of(process);
    each.push_back(logs.size() >= repetitions / 2 ? moments_of(logs) : of);
  }
  double variance = each.empty() ? of.variance : 0;
  for (const Moments& process : each) variance += process.variance / static_cast<double>(each.size());
  const auto n = static_cast<double>(repeated.size());
  found.chance = student_t(repeated.size() - 1) * std::sqrt(variance * (as_long ? 1 + 1 / n : 2));
  if (as_long) {
    found.middle = sim::exp(of.mean);
    for (const Moments& process : each) found.middles.push_back(sim::exp(process.mean));
  }
  found.shares = shares_of(runs, draws, of.variance);
  return found;
}

std::pair<double, double> interval_around(double point, const Spread& spread, double half_width) {
  const auto all = [&](double side) {
    return std::sqrt(side * side + spread.chance * spread.chance + half_width * half_width);
  };
  const double middle = spread.middle.value_or(point);
  return {std::min(point, middle * sim::exp(-all(spread.below))),
          std::max(point, middle * sim::exp(all(spread.above)))};
}

Spread wider(const Spread& a, const Spread& b) {
  Spread found = a.parameters() >= b.parameters() ? a : b;
  found.below = std::max(a.below, b.below);
  found.above = std::max(a.above, b.above);
  found.chance = std::max(a.chance, b.chance);
  found.known = a.known && b.known;
  return found;
}

}  // namespace jostle::analyses
