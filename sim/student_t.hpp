// Student's t distribution, for statements about the mean of a few independent observations.
#pragma once

#include <cstddef>

namespace jostle::sim {

// The probability that t with these degrees of freedom is below x. An odd number counts as one less, which is
// cautious: even ones need no function but the square root, so the bits are the same on every machine. At
// least 2, else std::invalid_argument.
[[nodiscard]] double student_t_below(double x, std::size_t degrees_of_freedom);

// The x that t is below with probability p, 0 < p < 1, to 12 digits.
[[nodiscard]] double student_t_quantile(double p, std::size_t degrees_of_freedom);

}  // namespace jostle::sim
