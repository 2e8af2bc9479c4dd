// What to expect of a figure at points that were not simulated, and how surely: a Gaussian process.
//
// The correlation of two points is the product over the dimensions of a Matérn 5/2 function of the distance
// where values have an order, and of one constant for all pairs of different values where they have none
// (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapters 2, 4 and 5). The mean is a
// constant; the lengths, the constants and the share of noise are those of a short list that make the values
// seen most likely, the variance follows from them.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "analyses/plan/space.hpp"
#include "sim/random.hpp"

namespace jostle::analyses {

class GaussianProcess {
 public:
  struct Expected {
    double mean = 0, deviation = 0;
  };

  explicit GaussianProcess(const SearchSpace& space);

  // Learns from the values at these points, at least one, all finite. Lengths are chosen
  // anew when there are half as many points again as when they last were.
  void fit(const std::vector<std::size_t>& points, const std::vector<double>& values);

  [[nodiscard]] Expected at(std::size_t point) const;
  // The same mean with a deviation that is not below that of at(), at a tenth of the work: as if the value
  // most alike were the only one.
  [[nodiscard]] Expected bound(std::size_t point) const;

  // What the values at all these points together may be: one draw.
  [[nodiscard]] std::vector<double> sample(const std::vector<std::size_t>& points,
                                           sim::RandomStream& random) const;

  [[nodiscard]] double correlation(std::size_t a, std::size_t b) const;

 private:
  void tabulate(std::size_t dimension);
  [[nodiscard]] double correlation_in(std::size_t dimension, std::size_t a, std::size_t b) const;
  [[nodiscard]] Eigen::MatrixXd correlations(const std::vector<std::size_t>& points) const;
  [[nodiscard]] Eigen::VectorXd with_known(std::size_t point) const;
  [[nodiscard]] double negative_log_likelihood(const std::vector<std::size_t>& points,
                                               const Eigen::VectorXd& values);
  void choose_lengths(const std::vector<double>& values);

  const SearchSpace* space_;
  std::vector<std::size_t> setting_;        // of each dimension, in the list of lengths or of constants
  std::vector<std::vector<double>> table_;  // [dimension][value · size + value]; empty: too large
  double noise_ = 0;                        // variance, of the correlation's 1
  std::vector<std::size_t> known_;
  std::vector<std::vector<std::size_t>> known_at_;  // [dimension][of known_]: their values
  std::size_t chosen_at_ = 0;                       // points known when the lengths were chosen
  double mean_ = 0, variance_ = 1;
  Eigen::MatrixXd factor_;   // lower, of the correlations of what is known
  Eigen::VectorXd weights_;  // correlations^-1 (values - mean)
};

}  // namespace jostle::analyses
