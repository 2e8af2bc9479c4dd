// Logarithm and exponential that give the same bits on every machine, which the standard library does not
// guarantee. They use only additions, multiplications and divisions of IEEE doubles (build with
// -ffp-contract=off). The error is within 1 unit in the last place (tests/sim compares with long double).
#pragma once

#include <array>

namespace jostle::sim {

// Natural logarithm. log(0) = -inf; log of a negative number is NaN.
[[nodiscard]] double log(double x);
// e to the x. Overflows to +inf, underflows gradually to 0.
[[nodiscard]] double exp(double x);

// Logarithms or exponentials of several numbers at once, with the same bits. The steps of one series wait for
// each other, but the series of several numbers overlap. log_each takes positive normal numbers, exp_each
// numbers between -700 and 700.
void log_each(std::array<double, 4>& numbers);
void exp_each(std::array<double, 8>& numbers);

}  // namespace jostle::sim
