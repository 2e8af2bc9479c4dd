// Points that fill a cube more evenly than random ones: a Sobol sequence (direction numbers of Joe and Kuo
// 2008), scrambled after Owen (1995). Each scrambled point is uniformly distributed, and of the first 2^k
// points exactly one lies in each of 2^k equal slices of every dimension.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace jostle::profiles {

// The first `count` points: [dimension][point], each number in (0, 1). There is one dimension for each of
// `keys`, random numbers that determine its scrambling. At most 3667 dimensions; throws std::range_error.
[[nodiscard]] std::vector<std::vector<double>> sobol_points(std::size_t count,
                                                            const std::vector<std::uint64_t>& keys);

// The p-quantile of the standard normal distribution, 0 < p < 1, within 1e-15 (relative).
[[nodiscard]] double normal_quantile(double p);

}  // namespace jostle::profiles
