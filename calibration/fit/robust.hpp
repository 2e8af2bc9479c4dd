// Estimates that a few disturbed samples do not move.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace jostle::calibration {

struct Estimate {
  double value = 0;
  double sd = 0;            // of the value, in its unit
  std::size_t samples = 0;  // behind it
};

// `values` must not be empty; `share` is within 0 and 1: 0 the least, 1 the greatest, between samples linear.
[[nodiscard]] double quantile(std::vector<double> values, double share);
[[nodiscard]] inline double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}
// The standard deviation of a normal distribution with the same median absolute deviation.
[[nodiscard]] double spread(const std::vector<double>& values);

// The median; its standard deviation is that of samples' medians, with `width` beside it: by how much what
// was observed may differ from what is meant, whatever the number of samples. None without samples.
[[nodiscard]] std::optional<Estimate> middle(const std::vector<double>& values, double width = 0);

// y = intercept + slope x by least squares with Huber's weights. None with fewer than three points or a
// single x.
struct Line {
  double intercept = 0, slope = 0;
  double intercept_sd = 0, slope_sd = 0;
};
struct Point2 {
  double x = 0, y = 0;
};
[[nodiscard]] std::optional<Line> line_through(const std::vector<Point2>& points);

}  // namespace jostle::calibration
