#include "analyses/interval/spread.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

constexpr double z = 1.6448536269514722;  // the 95 % quantile of a standard normal

// The 95 % quantile of Student's t (Cornish–Fisher expansion, within 0.2 % from 7 degrees of freedom on).
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

// The 5 % and the 95 % quantile. Of few numbers they are those of a normal distribution, which are known
// twice as well as those of the numbers.
std::pair<double, double> outer_quantiles(std::vector<double> values) {
  constexpr std::size_t few = 48;
  std::ranges::sort(values);
  if (values.size() >= few || values.size() < 2) return {quantile(values, 0.05), quantile(values, 0.95)};
  const Moments moments = moments_of(values);
  const double side = z * std::sqrt(moments.variance);
  return {moments.mean - side, moments.mean + side};
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

// With a middle, chance is that of the mean of n repetitions, 1 + 1 / n; elsewhere that of a single run, 2.
Spread Spread::elsewhere() const {
  Spread found = *this;
  if (middle) found.chance *= std::sqrt(2 / (1 + 1.0 / static_cast<double>(repetitions)));
  found.middle.reset();
  found.middles.clear();
  return found;
}

Spread spread_of(const MetricRuns& runs, const std::vector<profiles::Draw>& draws, bool as_long) {
  const std::vector<double> repeated = logs_of(runs.repeated);
  const std::vector<double> drawn = logs_of(runs.drawn);
  Spread found;
  found.known = runs.point && *runs.point > 0 && repeated.size() >= repetitions / 2 && !drawn.empty() &&
                20 * (runs.drawn.size() - drawn.size()) <= runs.drawn.size();
  if (!found.known) return found;
  const Moments of_all = moments_of(repeated);
  const double by_chance = z * std::sqrt(of_all.variance);
  const auto [low, high] = outer_quantiles(drawn);
  found.below = without(by_chance, of_all.mean - low);
  found.above = without(by_chance, high - of_all.mean);
  std::vector<Moments> each;
  for (const std::vector<scenarios::Metric>& process : runs.individual) {
    const std::vector<double> logs = logs_of(process);
    each.push_back(logs.size() >= repetitions / 2 ? moments_of(logs) : of_all);
  }
  double variance = each.empty() ? of_all.variance : 0;
  for (const Moments& process : each) variance += process.variance / static_cast<double>(each.size());
  const auto n = static_cast<double>(repeated.size());
  found.chance = student_t(repeated.size() - 1) * std::sqrt(variance * (as_long ? 1 + 1 / n : 2));
  if (as_long) {
    found.middle = sim::exp(of_all.mean);
    for (const Moments& process : each) found.middles.push_back(sim::exp(process.mean));
  }
  found.shares = shares_of(runs, draws, of_all.variance);
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

namespace {

struct Term {
  std::size_t input = 0;
  Eigen::VectorXd values;  // [sample]: an orthonormal polynomial of the input
};

// The Legendre polynomials of degree 1 to `degree`, scaled to variance 1 for uniform inputs.
std::vector<Term> terms_of(const std::vector<std::vector<double>>& inputs, int degree) {
  std::vector<Term> terms;
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    const Eigen::Map<const Eigen::ArrayXd> u(inputs[input].data(),
                                             static_cast<Eigen::Index>(inputs[input].size()));
    const Eigen::ArrayXd x = 2 * u - 1;
    Eigen::ArrayXd before = Eigen::ArrayXd::Ones(x.size()), here = x;
    for (int k = 1; k <= degree; ++k) {
      terms.push_back({input, here * std::sqrt(2.0 * k + 1)});
      const Eigen::ArrayXd next = ((2.0 * k + 1) * x * here - k * before) / (k + 1);
      before = here;
      here = next;
    }
  }
  return terms;
}

// The term that fits the residual best; none (terms.size()) if it fits no better than chance would.
std::size_t best_term(const std::vector<Term>& terms, const Eigen::VectorXd& residual,
                      const std::vector<std::size_t>& chosen) {
  std::size_t best = terms.size();
  const auto n = static_cast<double>(residual.size());
  // The best of m terms explains about 2 ln m / n of pure noise, and seldom more than this.
  double most = 2.5 * sim::log(static_cast<double>(terms.size())) / n * residual.squaredNorm();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (std::ranges::find(chosen, i) != chosen.end()) continue;
    const Eigen::VectorXd centred = terms[i].values.array() - terms[i].values.mean();
    const double along = centred.dot(residual);
    const double explained = along * along / centred.squaredNorm();
    if (explained > most) {
      most = explained;
      best = i;
    }
  }
  return best;
}

}  // namespace

std::vector<std::pair<std::size_t, double>> first_order_indices(
    const std::vector<std::vector<double>>& inputs, const std::vector<double>& values) {
  constexpr std::size_t many = 512;
  const auto n = static_cast<Eigen::Index>(values.size());
  const Eigen::VectorXd all = Eigen::Map<const Eigen::VectorXd>(values.data(), n);
  const Eigen::VectorXd y = all.array() - all.mean();
  if (n < 8 || !(y.squaredNorm() > 0)) return {};
  const std::vector<Term> terms = terms_of(inputs, values.size() < many ? 3 : 8);
  std::vector<std::size_t> chosen;
  Eigen::VectorXd residual = y, coefficients;
  while (4 * chosen.size() < values.size()) {
    const std::size_t next = best_term(terms, residual, chosen);
    if (next == terms.size()) break;
    chosen.push_back(next);
    Eigen::MatrixXd columns(n, static_cast<Eigen::Index>(chosen.size()) + 1);
    columns.col(0).setOnes();
    for (std::size_t i = 0; i < chosen.size(); ++i)
      columns.col(static_cast<Eigen::Index>(i) + 1) = terms[chosen[i]].values;
    coefficients = columns.colPivHouseholderQr().solve(y);
    residual = y - columns * coefficients;
  }
  // The variance over all inputs, not over this sample, in which inputs are slightly correlated.
  const double left = residual.squaredNorm() / static_cast<double>(values.size() - chosen.size() - 1);
  const double variance =
      chosen.empty() ? left : left + coefficients.tail(coefficients.size() - 1).squaredNorm();
  std::vector<std::pair<std::size_t, double>> indices;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const double of = coefficients[static_cast<Eigen::Index>(i) + 1];
    const std::size_t input = terms[chosen[i]].input;
    auto known = std::ranges::find(indices, input, &std::pair<std::size_t, double>::first);
    if (known == indices.end()) known = indices.insert(known, {input, 0.0});
    known->second += of * of / variance;
  }
  std::ranges::stable_sort(indices, std::greater(), &std::pair<std::size_t, double>::second);
  return indices;
}

}  // namespace jostle::analyses
