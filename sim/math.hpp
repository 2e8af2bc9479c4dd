// Logarithm and exponential that give the same bits on every machine, as the standard library's need not.
// They use additions, multiplications and divisions of IEEE doubles only (build with -ffp-contract=off).
// Within 1 unit in the last place of the true value (tests/sim compares with long double).
#pragma once

namespace jostle::sim {

// Natural logarithm. log(0) = -inf, of a negative number NaN.
[[nodiscard]] double log(double x);
// e to the x. Overflows to +inf, underflows gradually to 0.
[[nodiscard]] double exp(double x);

}  // namespace jostle::sim
