#include "sim/spectral.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "sim/batch_means.hpp"
#include "sim/math.hpp"

namespace jostle::sim {

namespace {

// Numbers of pairs of frequencies to fit: the maximum of Heidelberger and Welch, and the minimum for a
// quadratic.
constexpr std::size_t most_pairs = 25, fewest_pairs = 12;
// The logarithm of the mean of two periodogram values, distributed like a chi-square number of 4 degrees of
// freedom over 4: minus its mean, and its variance.
constexpr double log_bias = 0.270, log_variance = 0.645;

// The cosine for 0 <= x <= pi, to 1e-15: by its series, above pi / 2 mirrored.
double cosine(double x) {
  if (x > std::numbers::pi / 2) return -cosine(std::numbers::pi - x);
  double term = 1, sum = 1;
  for (int i = 2; i <= 24; i += 2) {
    term *= -x * x / (i * (i - 1));
    sum += term;
  }
  return sum;
}

// The periodogram of the deviations, at 1, 2 ... `count` periods over the whole series (Goertzel). The steps
// for one frequency wait for each other, so several frequencies are computed side by side.
std::vector<double> periodogram(const std::vector<double>& deviations, std::size_t count) {
  constexpr std::size_t together = 8;
  const auto n = static_cast<double>(deviations.size());
  std::vector<double> powers;
  for (std::size_t first = 1; first <= count; first += together) {
    std::array<double, together> twice{}, last{}, before{};
    for (std::size_t i = 0; i < together; ++i)
      twice[i] = 2 * cosine(2 * std::numbers::pi * static_cast<double>(std::min(first + i, count)) / n);
    for (const double x : deviations) {
      for (std::size_t i = 0; i < together; ++i) {
        const double next = x + twice[i] * last[i] - before[i];
        before[i] = last[i];
        last[i] = next;
      }
    }
    for (std::size_t i = 0; i < together && first + i <= count; ++i)
      powers.push_back((last[i] * last[i] + before[i] * before[i] - twice[i] * last[i] * before[i]) / n);
  }
  return powers;
}

struct AtZero {
  double value = 0, variance = 0;
};

// The least-squares quadratic through points of equal variance, evaluated at x = 0.
AtZero quadratic_at_zero(const std::vector<double>& x, const std::vector<double>& y) {
  std::array<double, 5> powers{};   // sums of x^i
  std::array<double, 3> moments{};  // sums of x^i y
  for (std::size_t j = 0; j < x.size(); ++j) {
    double power = 1;
    for (std::size_t i = 0; i < powers.size(); ++i, power *= x[j]) {
      powers[i] += power;
      if (i < moments.size()) moments[i] += power * y[j];
    }
  }
  const auto& [s0, s1, s2, s3, s4] = powers;
  // The first row of the inverse of the normal matrix, by its cofactors.
  const std::array<double, 3> cofactors{s2 * s4 - s3 * s3, s2 * s3 - s1 * s4, s1 * s3 - s2 * s2};
  const double determinant = s0 * cofactors[0] + s1 * cofactors[1] + s2 * cofactors[2];
  AtZero at_zero{.value = 0, .variance = cofactors[0] / determinant};
  for (std::size_t i = 0; i < moments.size(); ++i) at_zero.value += cofactors[i] * moments[i] / determinant;
  return at_zero;
}

}  // namespace

std::optional<double> spectral_half_width(const std::vector<double>& numbers) {
  const auto n = static_cast<double>(numbers.size());
  const std::size_t pairs = std::min(numbers.size() / 4, most_pairs);
  if (pairs < fewest_pairs) return std::nullopt;
  double mean = 0;
  for (const double x : numbers) mean += x / n;
  std::vector<double> deviations;
  for (const double x : numbers) deviations.push_back(x - mean);
  const std::vector<double> powers = periodogram(deviations, 2 * pairs);
  std::vector<double> frequencies, logarithms;
  for (std::size_t j = 1; j <= pairs; ++j) {
    const double power = (powers[2 * j - 2] + powers[2 * j - 1]) / 2;
    if (!(power > 0)) return std::nullopt;
    frequencies.push_back((4 * static_cast<double>(j) - 1) / (2 * n));
    logarithms.push_back(log(power) + log_bias);
  }
  const AtZero fitted = quadratic_at_zero(frequencies, logarithms);
  const double variance = log_variance * fitted.variance;
  // The value at zero is lognormal: its bias is removed, and its variance gives the degrees of freedom.
  const double at_zero = exp(fitted.value - variance / 2);
  const double freedom = 2 / (exp(variance) - 1);
  return student_t_95(static_cast<std::size_t>(std::max(freedom, 1.0))) * std::sqrt(at_zero / n);
}

}  // namespace jostle::sim
