// The confidence interval of the mean of a series from its spectrum at frequency zero (Heidelberger and Welch
// 1981): a quadratic is fitted to the logarithm of the periodogram's lowest frequencies and evaluated at
// zero.
//
// It is for numbers of negative correlation, like the batches of a closed loop, in which a slow one is
// followed by a fast one. Their spectrum falls towards zero, and batch means would have to be as long as the
// run to show that.
#pragma once

#include <optional>
#include <vector>

namespace jostle::sim {

// Half the width of the 95 % interval of the numbers' mean. Undefined with fewer than 48 numbers, or if they
// do not vary.
[[nodiscard]] std::optional<double> spectral_half_width(const std::vector<double>& numbers);

}  // namespace jostle::sim
