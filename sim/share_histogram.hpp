// Distribution of shares between 0 and 1, counted in steps of 0.1 %.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace jostle::sim {

class ShareHistogram {
 public:
  static constexpr std::size_t steps = 1000;

  // Values outside [0, 1] count as 0 or 1. A share within 1e-9 of a step counts as equal to it.
  void add(double share);
  void clear() { *this = {}; }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Undefined without values. The mean and the maximum use the values as added, not rounded to steps.
  [[nodiscard]] std::optional<double> mean() const;
  [[nodiscard]] std::optional<double> maximum() const;
  // The lowest step such that at least the share p of the values is at or below it (nearest rank). p in [0,
  // 1].
  [[nodiscard]] std::optional<double> quantile(double p) const;
  // Share of the values that are at or below `step` / steps.
  [[nodiscard]] std::optional<double> at_or_below(std::size_t step) const;

 private:
  std::array<std::uint32_t, steps + 1> up_to_{};  // [i]: count above (i - 1) / steps, up to i / steps
  std::uint64_t count_ = 0;
  double sum_ = 0, maximum_ = 0;
};

}  // namespace jostle::sim
