#include "analyses/interval/sensitivity.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/math.hpp"

namespace jostle::analyses {
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
