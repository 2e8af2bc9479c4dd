// How well the mean of a row of numbers is known, from its spectrum at frequency zero (Heidelberger and Welch
// 1981): a quadratic is fitted to the logarithm of the periodogram's lowest frequencies and read at zero.
//
// For numbers of negative correlation, as the batches of a closed loop, where a slow one is followed by a
// fast one: their spectrum falls towards zero. Batch means would have to be as long as the run to show that.
#pragma once

#include <optional>
#include <vector>

namespace jostle::sim {

// Half the 95 % interval of their mean. Undefined with fewer than 48 numbers, or if they do not vary.
[[nodiscard]] std::optional<double> spectral_half_width(const std::vector<double>& numbers);

}  // namespace jostle::sim
