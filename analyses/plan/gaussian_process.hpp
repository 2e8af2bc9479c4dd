// A Gaussian process that predicts a metric at points that were not simulated.
//
// The correlation of two points is a product over the dimensions. A dimension with ordered values contributes
// a Matérn 5/2 function of the distance, a dimension without order one constant for all pairs of different
// values (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapters 2, 4 and 5). The
// mean is a constant. The length scales, the constants and the noise are chosen from short lists by maximum
// likelihood, which also gives the variance.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "analyses/plan/space.hpp"
#include "sim/random.hpp"

namespace jostle::analyses {

class GaussianProcess {
 public:
  struct Estimate {
    double mean = 0, deviation = 0;
  };

  explicit GaussianProcess(const SearchSpace& space);

  // Fits the process to the values at these points: at least one, all finite. The hyperparameters are chosen
  // again whenever the number of points has grown by half.
  void fit(const std::vector<std::size_t>& points, const std::vector<double>& values);

  [[nodiscard]] Estimate at(std::size_t point) const;
  // The same mean as at(), with an upper bound of the deviation, at a tenth of the cost: only the training
  // point with the highest correlation counts.
  [[nodiscard]] Estimate bound(std::size_t point) const;

  // One draw from the joint distribution of the values at these points.
  [[nodiscard]] std::vector<double> sample(const std::vector<std::size_t>& points,
                                           sim::RandomStream& random) const;

  [[nodiscard]] double correlation(std::size_t a, std::size_t b) const;

 private:
  void tabulate(std::size_t dimension);
  [[nodiscard]] double correlation_in(std::size_t dimension, std::size_t a, std::size_t b) const;
  [[nodiscard]] Eigen::MatrixXd correlations(const std::vector<std::size_t>& points) const;
  [[nodiscard]] Eigen::VectorXd training_correlations(std::size_t point) const;
  [[nodiscard]] double negative_log_likelihood(const std::vector<std::size_t>& points,
                                               const Eigen::VectorXd& values);
  void choose_lengths(const std::vector<double>& values);

  const SearchSpace* space_;
  std::vector<std::size_t> length_index_;   // [dimension]: index in `lengths` or `correlation_levels`
  std::vector<std::vector<double>> table_;  // [dimension][value · size + value]; empty: too large
  double noise_ = 0;                        // variance relative to the process variance
  std::vector<std::size_t> training_;       // points
  std::vector<std::vector<std::size_t>> training_values_;  // [dimension][training point]: coordinate
  std::size_t chosen_at_ = 0;  // number of training points when the lengths were chosen
  double mean_ = 0, variance_ = 1;
  Eigen::MatrixXd factor_;   // lower Cholesky factor of the correlations of the training points
  Eigen::VectorXd weights_;  // correlations^-1 (values - mean)
};

}  // namespace jostle::analyses
