// Whether a series has settled: where its first transient ends (MSER-5), and whether it still drifts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace jostle::sim {

// How many of the first numbers belong to the transient, by the marginal standard error rule on batches of
// five (White, Cobb and Spratt 2000): the number, a multiple of five, without which the mean of the others
// has the least standard error as if they were independent; batches closer than 0.1 % of their mean count as
// equal. Undefined where that cuts more than the first half, for the series then has not settled, and for
// fewer than 50 numbers.
[[nodiscard]] std::optional<std::size_t> mser5(std::span<const double> numbers);

// The two halves of a series.
struct Halves {
  double first = 0, second = 0;  // means
  double half_width = 0;         // of the 95 % interval of their difference
  // Whether they differ by more than `tolerance` (share of the mean) and by more than chance explains: once
  // in a thousand series or less.
  [[nodiscard]] bool differ(double tolerance) const;
};

// Their difference is judged by batch means of either half, so that correlation within the series counts.
// `lump`: by how much a half's mean can be off because whole lumps are counted. Undefined for fewer than 16
// numbers, and where a lump is an eighth of the mean or more.
[[nodiscard]] std::optional<Halves> halves(std::span<const double> numbers, double lump = 0);

}  // namespace jostle::sim
