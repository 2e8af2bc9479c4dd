#include "sim/student_t.hpp"

#include <cmath>
#include <stdexcept>

namespace jostle::sim {

// The formula of Abramowitz and Stegun, 26.7.4, for an even number: with t = sqrt(n) tan(a), a finite sum of
// powers of cos(a)^2 times sin(a).
double student_t_below(double x, std::size_t degrees_of_freedom) {
  if (degrees_of_freedom < 2) throw std::invalid_argument("student_t_below: too few degrees of freedom");
  if (std::isinf(x)) return x > 0 ? 1 : 0;
  const std::size_t even = degrees_of_freedom - degrees_of_freedom % 2;
  const auto n = static_cast<double>(even);
  const double cos_squared = n / (n + x * x);
  double term = 1, sum = 1;
  for (std::size_t k = 2; k < even; k += 2) {
    term *= cos_squared * static_cast<double>(k - 1) / static_cast<double>(k);
    sum += term;
  }
  return 0.5 + 0.5 * x / std::sqrt(n + x * x) * sum;
}

double student_t_quantile(double p, std::size_t degrees_of_freedom) {
  if (!(p > 0 && p < 1)) throw std::invalid_argument("student_t_quantile: p is not between 0 and 1");
  double low = -1, high = 1;
  while (student_t_below(low, degrees_of_freedom) > p) low *= 2;
  while (student_t_below(high, degrees_of_freedom) < p) high *= 2;
  constexpr int halvings = 80;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (student_t_below(middle, degrees_of_freedom) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace jostle::sim
