// Settling of a series: the end of its first transient (MSER-5), and a test for drift.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace jostle::sim {

// The number of first values that belong to the transient, by the marginal standard error rule on batches of
// five (White, Cobb and Spratt 2000): the multiple of five without which the mean of the others has the least
// standard error, computed as if they were independent. Batches closer than 0.1 % of their mean count as
// equal. Undefined if that cuts more than the first half, because the series then has not settled, and for
// fewer than 50 numbers.
[[nodiscard]] std::optional<std::size_t> mser5(std::span<const double> numbers);

// The two halves of a series.
struct Halves {
  double first = 0, second = 0;  // means
  double half_width = 0;         // half width of the 95 % interval of their difference
  // True if the halves differ by more than `tolerance` (share of the mean) and by more than chance explains
  // (in at most one of a thousand series).
  [[nodiscard]] bool differ(double tolerance) const;
};

// The halves of `numbers`. The interval of their difference is from batch means of both halves, so it
// includes the correlation within the series. `lump`: the possible error of a half's mean from counting whole
// service quanta. Undefined for fewer than 16 numbers, and if that error is an eighth of the mean or more.
[[nodiscard]] std::optional<Halves> halves(std::span<const double> numbers, double lump = 0);

}  // namespace jostle::sim
