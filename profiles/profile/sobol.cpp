#include "profiles/profile/sobol.hpp"

#include <array>
#include <boost/random/sobol.hpp>
#include <cmath>

#include "sim/math.hpp"

namespace jostle::profiles {
namespace {

constexpr unsigned digits = 32;  // number of binary digits of a point that are used

// The finaliser of splitmix64: every bit of the result depends on every bit of x.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

// Flips each digit at random; the choice depends on the digits before it.
std::uint64_t scrambled(std::uint64_t x, std::uint64_t key) {
  std::uint64_t flips = 0;
  for (unsigned digit = 0; digit < digits; ++digit) {
    const std::uint64_t before = x >> (digits - digit);
    const std::uint64_t choice = mixed(key ^ mixed(before << 6U | digit)) & 1U;
    flips |= choice << (digits - 1 - digit);
  }
  return x ^ flips;
}

// The value of a polynomial, coefficients from the constant on.
double polynomial(const std::array<double, 8>& of, double x) {
  double sum = 0;
  for (std::size_t i = of.size(); i-- > 0;) sum = sum * x + of[i];
  return sum;
}

}  // namespace

std::vector<std::vector<double>> sobol_points(std::size_t count, const std::vector<std::uint64_t>& keys) {
  std::vector<std::vector<double>> found(keys.size(), std::vector<double>(count));
  if (keys.empty()) return found;
  boost::random::sobol sequence(keys.size());
  for (std::size_t point = 0; point < count; ++point) {
    for (std::size_t dimension = 0; dimension < keys.size(); ++dimension) {
      // Boost leaves out the first point, which is zero in all dimensions.
      const std::uint64_t x = point == 0 ? 0 : sequence() >> (64 - digits);
      found[dimension][point] = (static_cast<double>(scrambled(x, keys[dimension])) + 0.5) * 0x1p-32;
    }
  }
  return found;
}

// Wichura 1988, algorithm AS 241 (PPND16).
double normal_quantile(double p) {
  constexpr std::array a{3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                         1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                         3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr std::array b{1.0,
                         4.2313330701600911252e+1,
                         6.8718700749205790830e+2,
                         5.3941960214247511077e+3,
                         2.1213794301586595867e+4,
                         3.9307895800092710610e+4,
                         2.8729085735721942674e+4,
                         5.2264952788528545610e+3};
  constexpr std::array c{1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                         3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                         2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr std::array d{1.0,
                         2.05319162663775882187e0,
                         1.67638483018380384940e0,
                         6.89767334985100004550e-1,
                         1.48103976427480074590e-1,
                         1.51986665636164571966e-2,
                         5.47593808499534494600e-4,
                         1.05075007164441684324e-9};
  constexpr std::array e{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                         2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                         2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr std::array f{1.0,
                         5.99832206555887937690e-1,
                         1.36929880922735805310e-1,
                         1.48753612908506148525e-2,
                         7.86869131145613259100e-4,
                         1.84631831751005468180e-5,
                         1.42151175831644588870e-7,
                         2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double r = std::sqrt(-sim::log(q < 0 ? p : 1 - p));
  const double size =
      r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6) : polynomial(e, r - 5) / polynomial(f, r - 5);
  return q < 0 ? -size : size;
}

}  // namespace jostle::profiles
