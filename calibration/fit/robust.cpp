#include "calibration/fit/robust.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::calibration {
namespace {

constexpr double normal = 1.4826;        // standard deviation over median absolute deviation
constexpr double median_error = 1.2533;  // standard error of a median over that of a mean, for normal samples
constexpr double huber = 1.5;            // standard deviations
constexpr int rounds = 20;

struct Sums {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  void add(const Point2& at, double weight) {
    w += weight, x += weight * at.x, y += weight * at.y;
    xx += weight * at.x * at.x, xy += weight * at.x * at.y;
  }
  [[nodiscard]] double determinant() const { return w * xx - x * x; }
};

}  // namespace

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

double spread(const std::vector<double>& values) {
  const double centre = median(values);
  std::vector<double> off;
  off.reserve(values.size());
  for (const double value : values) off.push_back(std::abs(value - centre));
  return normal * median(std::move(off));
}

std::optional<Estimate> middle(const std::vector<double>& values, double width) {
  if (values.empty()) return std::nullopt;
  const double error = median_error * spread(values) / std::sqrt(static_cast<double>(values.size()));
  return Estimate{median(values), std::hypot(error, width), values.size()};
}

std::optional<Line> line_through(const std::vector<Point2>& points) {
  if (points.size() < 3) return std::nullopt;
  std::vector<double> weights(points.size(), 1);
  Line line;
  for (int round = 0; round < rounds; ++round) {
    Sums sums;
    for (std::size_t i = 0; i < points.size(); ++i) sums.add(points[i], weights[i]);
    const double determinant = sums.determinant();
    if (!(determinant > 1e-9 * sums.w * sums.xx)) return std::nullopt;
    line.slope = (sums.w * sums.xy - sums.x * sums.y) / determinant;
    line.intercept = (sums.y - line.slope * sums.x) / sums.w;
    std::vector<double> off;
    for (const Point2& point : points) off.push_back(point.y - line.intercept - line.slope * point.x);
    const double sd = spread(off);
    line.slope_sd = sd * std::sqrt(sums.w / determinant);
    line.intercept_sd = sd * std::sqrt(sums.xx / determinant);
    if (sd <= 0) return line;
    for (std::size_t i = 0; i < points.size(); ++i)
      weights[i] = std::min(1.0, huber * sd / std::max(std::abs(off[i]), 1e-300));
  }
  return line;
}

}  // namespace jostle::calibration
