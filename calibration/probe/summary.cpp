#include "calibration/probe/summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/fit/robust.hpp"
#include "calibration/probe/clock.hpp"

namespace jostle::calibration::probe {
namespace {

double relative(double error, double value) {
  return value != 0 && std::isfinite(error) ? std::abs(error / value) : 1;
}

}  // namespace

double quantile(std::vector<double> samples, double share) {
  return samples.empty() ? 0 : calibration::quantile(std::move(samples), std::clamp(share, 0.0, 1.0));
}

double median(std::vector<double> samples) {
  return quantile(std::move(samples), 0.5);
}

Summary median_of(const std::vector<double>& samples) {
  const auto found = middle(samples);
  if (!found) return {.relative_sd = 1};
  return {.value = found->value,
          .relative_sd = samples.size() < 3 ? 1 : relative(found->sd, found->value),
          .samples = samples.size()};
}

Summary mean_of(const std::vector<double>& samples) {
  Summary found{.relative_sd = 1, .samples = samples.size()};
  if (samples.empty()) return found;
  const auto n = static_cast<double>(samples.size());
  for (const double sample : samples) found.value += sample / n;
  if (samples.size() < 3) return found;
  double squares = 0;
  for (const double sample : samples) squares += (sample - found.value) * (sample - found.value);
  found.relative_sd = relative(std::sqrt(squares / (n - 1) / n), found.value);
  return found;
}

Summary ratio_of(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    if (x[i] > 0) ratios.push_back(y[i] / x[i]);
  return mean_of(ratios);
}

Measured measured(std::string parameter, const Summary& found, std::string unit, std::string how) {
  return {std::move(parameter), found.value,   std::move(unit),
          found.relative_sd,    found.samples, std::move(how)};
}

Summary scaled(Summary found, double factor) {
  found.value *= factor;
  return found;
}

std::vector<double> repeat(const Session& session, const Repetition& repetition,
                           const std::function<void(std::vector<double>&)>& once) {
  std::vector<double> samples;
  const std::int64_t end = now_ns() + static_cast<std::int64_t>(1e9 * repetition.seconds);
  while (!session.interrupted && samples.size() < repetition.most) {
    once(samples);
    if (now_ns() >= end) break;
    if (samples.size() >= repetition.least && median_of(samples).relative_sd <= narrow) break;
  }
  return samples;
}

}  // namespace jostle::calibration::probe
