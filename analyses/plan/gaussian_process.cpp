#include "analyses/plan/gaussian_process.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/math.hpp"

namespace jostle::analyses {
namespace {

constexpr std::array lengths{0.08, 0.15, 0.3, 0.6, 1.2, 2.5, 5.0};
constexpr std::array correlation_levels{0.1, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99};
constexpr std::array noises{1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
constexpr std::size_t largest_table = 1000;      // number of values of a dimension with a table
constexpr std::size_t max_points_for_fit = 120;  // training points; the cost grows with their cube

double matern(double distance) {
  const double r = std::sqrt(5.0) * distance;
  return (1 + r + r * r / 3) * sim::exp(-r);
}

}  // namespace

GaussianProcess::GaussianProcess(const SearchSpace& space)
    : space_(&space), length_index_(space.dimensions().size(), 3), table_(space.dimensions().size()) {
  noise_ = 1e-4;
  for (std::size_t d = 0; d < table_.size(); ++d) tabulate(d);
}

double GaussianProcess::correlation_in(std::size_t dimension, std::size_t a, std::size_t b) const {
  if (a == b) return 1;
  const std::vector<double>& position = space_->dimensions()[dimension].position;
  return position.empty() ? correlation_levels[length_index_[dimension]]
                          : matern(std::abs(position[a] - position[b]) / lengths[length_index_[dimension]]);
}

void GaussianProcess::tabulate(std::size_t dimension) {
  const std::size_t size = space_->dimensions()[dimension].size;
  if (size > largest_table) return;
  std::vector<double>& table = table_[dimension];
  table.resize(size * size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) table[i * size + j] = correlation_in(dimension, i, j);
}

double GaussianProcess::correlation(std::size_t a, std::size_t b) const {
  const Coordinates& at = (*space_)[a];
  const Coordinates& other = (*space_)[b];
  double product = 1;
  for (std::size_t d = 0; d < table_.size(); ++d)
    product *= table_[d].empty() ? correlation_in(d, at[d], other[d])
                                 : table_[d][at[d] * space_->dimensions()[d].size + other[d]];
  return product;
}

Eigen::MatrixXd GaussianProcess::correlations(const std::vector<std::size_t>& points) const {
  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd matrix(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      matrix(i, j) = matrix(j, i) =
          correlation(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
  return matrix;
}

// -2 log likelihood, up to a constant, with the variance that maximises it.
double GaussianProcess::negative_log_likelihood(const std::vector<std::size_t>& points,
                                                const Eigen::VectorXd& values) {
  Eigen::MatrixXd matrix = correlations(points);
  matrix.diagonal().array() += noise_;
  const Eigen::LLT<Eigen::MatrixXd> factored(matrix);
  if (factored.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd half = factored.matrixL().solve(values);
  const auto n = static_cast<double>(values.size());
  double log_determinant = 0;
  for (Eigen::Index i = 0; i < values.size(); ++i)
    log_determinant += 2 * sim::log(factored.matrixLLT()(i, i));
  return n * sim::log(std::max(half.squaredNorm() / n, 1e-30)) + log_determinant;
}

// Chooses by coordinate descent: one dimension after the other, then the noise, in two rounds.
void GaussianProcess::choose_lengths(const std::vector<double>& values) {
  std::vector<std::size_t> points;
  const std::size_t count = std::min(training_.size(), max_points_for_fit);
  Eigen::VectorXd some(static_cast<Eigen::Index>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t from = i * training_.size() / count;
    points.push_back(training_[from]);
    some(static_cast<Eigen::Index>(i)) = values[from] - mean_;
  }
  double least = negative_log_likelihood(points, some);
  const auto try_all = [&](std::size_t size, auto&& get, auto&& set) {
    const std::size_t before = get();
    std::size_t best = before;
    for (std::size_t i = 0; i < size; ++i) {
      if (i == before) continue;
      set(i);
      const double now = negative_log_likelihood(points, some);
      if (now < least) {
        least = now;
        best = i;
      }
    }
    set(best);
  };
  auto noise = static_cast<std::size_t>(std::ranges::find(noises, noise_) - noises.begin());
  for (int round = 0; round < 2; ++round) {
    for (std::size_t d = 0; d < length_index_.size(); ++d) {
      if (space_->dimensions()[d].size < 2) continue;
      try_all(
          lengths.size(), [&] { return length_index_[d]; },
          [&](std::size_t i) {
            length_index_[d] = i;
            tabulate(d);
          });
    }
    try_all(
        noises.size(), [&] { return noise; },
        [&](std::size_t i) {
          noise = i;
          noise_ = noises[i];
        });
  }
}

void GaussianProcess::fit(const std::vector<std::size_t>& points, const std::vector<double>& values) {
  training_ = points;
  training_values_.assign(table_.size(), {});
  for (const std::size_t point : training_)
    for (std::size_t d = 0; d < table_.size(); ++d) training_values_[d].push_back((*space_)[point][d]);
  mean_ = 0;
  for (const double value : values) mean_ += value / static_cast<double>(values.size());
  if (2 * training_.size() >= 3 * chosen_at_) {
    choose_lengths(values);
    chosen_at_ = training_.size();
  }
  const auto n = static_cast<Eigen::Index>(training_.size());
  Eigen::VectorXd centred(n);
  for (Eigen::Index i = 0; i < n; ++i) centred(i) = values[static_cast<std::size_t>(i)] - mean_;
  Eigen::MatrixXd matrix = correlations(training_);
  matrix.diagonal().array() += noise_;
  const Eigen::LLT<Eigen::MatrixXd> factored(matrix);
  factor_ = factored.matrixL();
  weights_ = factored.solve(centred);
  variance_ = std::max(centred.dot(weights_) / static_cast<double>(n), 1e-18);
}

// The correlations of the point with the training points. This is the hot loop of a search, so it works
// dimension by dimension along a row of the table.
Eigen::VectorXd GaussianProcess::training_correlations(std::size_t point) const {
  const Coordinates& at = (*space_)[point];
  Eigen::VectorXd vector = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(training_.size()));
  double* const with = vector.data();
  for (std::size_t d = 0; d < table_.size(); ++d) {
    const std::vector<std::size_t>& known = training_values_[d];
    if (table_[d].empty()) {
      for (std::size_t i = 0; i < known.size(); ++i) with[i] *= correlation_in(d, at[d], known[i]);
      continue;
    }
    const double* const row = table_[d].data() + at[d] * space_->dimensions()[d].size;
    for (std::size_t i = 0; i < known.size(); ++i) with[i] *= row[known[i]];
  }
  return vector;
}

GaussianProcess::Estimate GaussianProcess::at(std::size_t point) const {
  const Eigen::VectorXd with = training_correlations(point);
  const double explained = factor_.triangularView<Eigen::Lower>().solve(with).squaredNorm();
  return {mean_ + with.dot(weights_), std::sqrt(variance_ * std::max(0.0, 1 - explained))};
}

GaussianProcess::Estimate GaussianProcess::bound(std::size_t point) const {
  const Eigen::VectorXd with = training_correlations(point);
  const double highest = with.maxCoeff();
  return {mean_ + with.dot(weights_),
          std::sqrt(variance_ * std::max(0.0, 1 - highest * highest / (1 + noise_)))};
}

std::vector<double> GaussianProcess::sample(const std::vector<std::size_t>& points,
                                            sim::RandomStream& random) const {
  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd cross(static_cast<Eigen::Index>(training_.size()), n);
  for (Eigen::Index i = 0; i < n; ++i)
    cross.col(i) = training_correlations(points[static_cast<std::size_t>(i)]);
  const Eigen::VectorXd mean = cross.transpose() * weights_;
  const Eigen::MatrixXd half = factor_.triangularView<Eigen::Lower>().solve(cross);
  Eigen::MatrixXd covariance = correlations(points) - half.transpose() * half;
  covariance.diagonal().array() += 1e-8;  // keeps it positive definite in spite of rounding
  const Eigen::LLT<Eigen::MatrixXd> factored(covariance);
  Eigen::VectorXd normal(n);
  for (Eigen::Index i = 0; i < n; ++i) normal(i) = random.normal(0, 1);
  const Eigen::VectorXd drawn = factored.matrixL() * normal;
  std::vector<double> values;
  for (Eigen::Index i = 0; i < n; ++i) values.push_back(mean_ + mean(i) + std::sqrt(variance_) * drawn(i));
  return values;
}

}  // namespace jostle::analyses
