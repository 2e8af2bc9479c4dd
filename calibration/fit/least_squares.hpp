// Finds the parameters that make a simulation agree with what was measured: bounded, robust, with priors.
//
// Parameters are positive and fitted in their logarithms, so that a prior's width is relative and no figure
// changes its sign. Minimised is
//   sum over rows  rho((ln predicted - ln measured) / sd)  +  sum over parameters  ((ln x - ln prior) /
//   prior_sd)^2
// with Huber's rho of one standard deviation and a half, by Levenberg and Marquardt (Ceres). The covariance
// is the inverse of the information that rows and priors give at the optimum (Gauss and Newton's
// approximation).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace jostle::calibration {

struct Parameter {
  std::string name;
  double prior = 1;
  double prior_sd = 0.5;        // of the logarithm: 0.5 is a factor of 1.65
  double lower = 0, upper = 0;  // prior within them
};

struct Measured {
  double value = 0;  // > 0
  double sd = 0.02;  // relative: of repeats, and of what a model can be expected to reach
};

// The rows as predicted at each of several points; a point is a value for each parameter. A prediction that
// is not positive counts as wrong by a factor of ten.
using Predict = std::function<std::vector<std::vector<double>>(std::span<const std::vector<double>> points)>;

struct FitOptions {
  int max_iterations = 20;
  double step = 0.02;         // of the logarithm, where a derivative is taken: beyond the simulation's grain
  std::vector<double> start;  // one a parameter, within its bounds; empty: the priors
};

struct LogFit {
  std::vector<double> values;      // one a parameter
  std::vector<double> covariance;  // of the logarithms, row by row
  // Variance left of the prior's, one a parameter: near 0 the rows tell it, at 1 they say nothing of it.
  std::vector<double> variance_left;
  std::vector<double> predicted;  // the rows, at `values`
  std::size_t points = 0;         // how many were predicted
  bool converged = false;
};

// The rows say more of a parameter than its prior did: they take at least half of its variance.
[[nodiscard]] inline bool identified(double variance_left) {
  return variance_left <= 0.5;
}

// Throws std::invalid_argument for a prior outside its bounds, a row that is not positive, or no parameters.
[[nodiscard]] LogFit fit(std::span<const Parameter> parameters, std::span<const Measured> rows,
                         const Predict& predict, const FitOptions& options = {});

}  // namespace jostle::calibration
