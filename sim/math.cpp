// Logarithm and exponential: argument reduction to a small interval, then a Taylor series long enough for
// double precision.
#include "sim/math.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace jostle::sim {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// ln 2 in two parts. The low 32 bits of the first are zero, so its product with a small integer is exact.
constexpr double ln2_high = 0x1.62e42feep-1;
constexpr double ln2_low = 0x1.a39ef35793c76p-33;
constexpr double log2_e = 0x1.71547652b82fep+0;
constexpr double sqrt_half = 0x1.6a09e667f3bcdp-1;

// 2^k for a normal result.
[[nodiscard]] double power_of_two(int k) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52U);
}

// Logarithms of positive normal numbers, each times 2^shift.
template <std::size_t n>
void log_in_place(std::array<double, n>& x, int shift) {
  std::array<double, n> exponent, f, s, z, r;
  for (std::size_t i = 0; i < n; ++i) {
    // x = 2^k m with m in [sqrt(1/2), sqrt(2)).
    const auto bits = std::bit_cast<std::uint64_t>(x[i]);
    const double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3fe0000000000000ULL);
    const bool small = m < sqrt_half;
    exponent[i] = static_cast<int>(bits >> 52U) - 1022 + shift - (small ? 1 : 0);
    // With s = f/(2+f): log(1+f) = 2 atanh(s) = f - s (f - r), r = 2 (s²/3 + s⁴/5 + ...); |s| < 0.1716. The
    // term f²/2 is separated, so that the rounding error of the quotient matters little.
    f[i] = (small ? m * 2 : m) - 1;
    s[i] = f[i] / (2 + f[i]);
    z[i] = s[i] * s[i];
    r[i] = 2.0 / 23;
  }
  for (int term = 21; term >= 3; term -= 2)
    for (std::size_t i = 0; i < n; ++i) r[i] = r[i] * z[i] + 2.0 / term;
  for (std::size_t i = 0; i < n; ++i) {
    r[i] *= z[i];
    const double half_square = 0.5 * f[i] * f[i];
    x[i] = exponent[i] * ln2_high -
           ((half_square - (s[i] * (half_square + r[i]) + exponent[i] * ln2_low)) - f[i]);
  }
}

// The product of e and 2^k.
[[nodiscard]] double scaled(double e, int k) {
  if (k > 1023) return e * power_of_two(1023) * 2;
  if (k < -1022) return e * power_of_two(k + 100) * 0x1p-100;
  return e * power_of_two(k);
}

// Exponentials of numbers; the results must be neither zero nor infinite.
template <std::size_t n>
void exp_in_place(std::array<double, n>& x) {
  // The values 1/2! ... 1/14!.
  constexpr std::array inverse_factorial{1.0 / 2,          1.0 / 6,        1.0 / 24,        1.0 / 120,
                                         1.0 / 720,        1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                         1.0 / 3628800,    1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
                                         1.0 / 87178291200};
  std::array<int, n> k;
  std::array<double, n> r, lost, q{};
  for (std::size_t i = 0; i < n; ++i) {
    // x = k ln 2 + r with |r| ≤ ln 2 / 2, r = high - low.
    const double nearest = x[i] * log2_e + 0.5;
    const int truncated = static_cast<int>(nearest);
    k[i] = truncated - (nearest < truncated ? 1 : 0);
    const double exponent = k[i];
    const double high = x[i] - exponent * ln2_high;
    const double low = exponent * ln2_low;
    r[i] = high - low;
    lost[i] = (high - r[i]) - low;
  }
  // e^r = 1 + r + r² q(r), q = 1/2! + r/3! + ...; 15 terms, the last below 2^-60.
  for (std::size_t term = inverse_factorial.size(); term-- > 0;)
    for (std::size_t i = 0; i < n; ++i) q[i] = q[i] * r[i] + inverse_factorial[term];
  // Corrects the rounding error of r.
  for (std::size_t i = 0; i < n; ++i) x[i] = scaled(1 + (r[i] + (r[i] * r[i] * q[i] + lost[i])), k[i]);
}

}  // namespace

double log(double x) {
  if (!(x > 0)) return x == 0 ? -infinity : std::numeric_limits<double>::quiet_NaN();
  if (x == infinity) return x;
  const bool subnormal = x < std::numeric_limits<double>::min();
  std::array one{subnormal ? x * 0x1p54 : x};
  log_in_place(one, subnormal ? -54 : 0);
  return one[0];
}

double exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.79) return infinity;
  if (x < -745.14) return 0;
  std::array one{x};
  exp_in_place(one);
  return one[0];
}

void log_each(std::array<double, 4>& numbers) {
  log_in_place(numbers, 0);
}
void exp_each(std::array<double, 8>& numbers) {
  exp_in_place(numbers);
}

}  // namespace jostle::sim
