// Argument reduction to a small interval, then a Taylor series long enough for double precision.
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

}  // namespace

double log(double x) {
  if (!(x > 0)) return x == 0 ? -infinity : std::numeric_limits<double>::quiet_NaN();
  if (x == infinity) return x;
  int k = 0;
  if (x < std::numeric_limits<double>::min()) {
    x *= 0x1p54;
    k = -54;
  }
  // x = 2^k m with m in [sqrt(1/2), sqrt(2)).
  const auto bits = std::bit_cast<std::uint64_t>(x);
  k += static_cast<int>(bits >> 52U) - 1022;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3fe0000000000000ULL);
  if (m < sqrt_half) {
    m *= 2;
    --k;
  }
  // With s = f/(2+f): log(1+f) = 2 atanh(s) = f - s (f - r), r = 2 (s²/3 + s⁴/5 + ...); |s| < 0.1716. The
  // term f²/2 is separated, so that the rounding error of the quotient matters little.
  const double f = m - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  double r = 2.0 / 23;
  for (int n = 21; n >= 3; n -= 2) r = r * z + 2.0 / n;
  r *= z;
  const double half_square = 0.5 * f * f;
  const double exponent = k;
  return exponent * ln2_high - ((half_square - (s * (half_square + r) + exponent * ln2_low)) - f);
}

double exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.79) return infinity;
  if (x < -745.14) return 0;
  // x = k ln 2 + r with |r| ≤ ln 2 / 2, r = high - low.
  const double exponent = std::floor(x * log2_e + 0.5);
  const int k = static_cast<int>(exponent);
  const double high = x - exponent * ln2_high;
  const double low = exponent * ln2_low;
  const double r = high - low;
  // e^r = 1 + r + r² q(r), q = 1/2! + r/3! + ...; 15 terms, the last below 2^-60.
  constexpr double inverse_factorial[] = {1.0 / 2,          1.0 / 6,        1.0 / 24,        1.0 / 120,
                                          1.0 / 720,        1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                          1.0 / 3628800,    1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
                                          1.0 / 87178291200};
  double q = 0;
  for (int n = 12; n >= 0; --n) q = q * r + inverse_factorial[n];
  // Correct for what rounding r lost.
  const double lost = (high - r) - low;
  const double e = 1 + (r + (r * r * q + lost));
  if (k > 1023) return e * power_of_two(1023) * 2;
  if (k < -1022) return e * power_of_two(k + 100) * 0x1p-100;
  return e * power_of_two(k);
}

}  // namespace jostle::sim
