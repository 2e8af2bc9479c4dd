// Estimators that are insensitive to a few outliers.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace jostle::calibration {

struct Estimate {
  double value = 0;
  double sd = 0;            // standard deviation of the value, in the same unit
  std::size_t samples = 0;  // number of samples used
};

// The quantile at `share`, from 0 (minimum) to 1 (maximum), linear between samples. `values` must not be
// empty.
[[nodiscard]] double quantile(std::vector<double> values, double share);
[[nodiscard]] inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}
// The standard deviation of the normal distribution with the same median absolute deviation.
[[nodiscard]] double spread(const std::vector<double>& values);

// The median. Its standard deviation combines the standard error of the median with `width`: the possible
// distance of the observed quantity from the wanted one, which does not depend on the number of samples.
// Absent without samples.
[[nodiscard]] std::optional<Estimate> middle(const std::vector<double>& values, double width = 0);

// The line y = intercept + slope x, by least squares with Huber weights. Absent for fewer than three points
// or a single x.
struct Line {
  double intercept = 0, slope = 0;
  double intercept_sd = 0, slope_sd = 0;
};
struct Point2 {
  double x = 0, y = 0;
};
[[nodiscard]] std::optional<Line> line_through(const std::vector<Point2>& points);

}  // namespace jostle::calibration
