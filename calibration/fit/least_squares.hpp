// Finds the parameters for which a simulation agrees best with measurements: bounded, robust, with priors.
//
// Parameters are positive and fitted in their logarithms, so that the width of a prior is relative and no
// parameter changes its sign. The fit minimises
//   sum over rows        rho((ln predicted - ln measured) / sd)  +
//   sum over parameters  ((ln x - ln prior) / prior_sd)^2
// with Huber's rho at 1.5 standard deviations, by the Levenberg-Marquardt algorithm (Ceres). The covariance
// is the inverse of the information in rows and priors at the optimum (Gauss-Newton approximation).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace jostle::calibration {

struct Parameter {
  std::string name;
  double prior = 1;
  double prior_sd = 0.5;        // sd of the logarithm: 0.5 is a factor of 1.65
  double lower = 0, upper = 0;  // the prior must be within these bounds
};

struct Measured {
  double value = 0;  // > 0
  double sd = 0.02;  // relative: spread of repeats, and the accuracy that can be expected of a model
};

// Predicts the rows at several points; a point has a value for each parameter. A prediction that is not
// positive counts as wrong by a factor of ten.
using Predict = std::function<std::vector<std::vector<double>>(std::span<const std::vector<double>> points)>;

struct FitOptions {
  int max_iterations = 20;
  // Step of the logarithm for derivatives; it must exceed the granularity of the simulation.
  double step = 0.02;
  std::vector<double> start;  // a value for each parameter, within its bounds; empty: the priors
};

struct LogFit {
  std::vector<double> values;      // one for each parameter
  std::vector<double> covariance;  // covariance of the logarithms, row by row
  // Remaining share of the prior's variance, for each parameter: near 0 the rows determine it, at 1 they
  // contain no information about it.
  std::vector<double> variance_left;
  std::vector<double> predicted;  // the rows, at `values`
  std::size_t points = 0;         // number of points predicted
  bool converged = false;
};

// True if the rows contain more information about a parameter than its prior: they remove at least half of
// its variance.
[[nodiscard]] inline bool identified(double variance_left) {
  return variance_left <= 0.5;
}

// Throws std::invalid_argument for a prior outside its bounds, a measured value that is not positive, or if
// there are no parameters.
[[nodiscard]] LogFit fit(std::span<const Parameter> parameters, std::span<const Measured> rows,
                         const Predict& predict, const FitOptions& options = {});

}  // namespace jostle::calibration
