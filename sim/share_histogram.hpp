// How shares from 0 to 1 are distributed: exact counts at every tenth of a percent.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace jostle::sim {

class ShareHistogram {
 public:
  static constexpr std::size_t steps = 1000;

  // What is beyond 0 or 1 counts as that. A share within 1e-9 of a step counts as at it.
  void add(double share);
  void clear() { *this = {}; }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Undefined without numbers. The mean is of what was added; the maximum too.
  [[nodiscard]] std::optional<double> mean() const;
  [[nodiscard]] std::optional<double> maximum() const;
  // The least step at or below which lies at least the share p of the numbers (nearest rank), p in [0, 1].
  [[nodiscard]] std::optional<double> quantile(double p) const;
  // Of the numbers, the share at or below `step` / steps.
  [[nodiscard]] std::optional<double> at_or_below(std::size_t step) const;

 private:
  std::array<std::uint32_t, steps + 1> up_to_{};  // [i]: above (i - 1) / steps, up to i / steps
  std::uint64_t count_ = 0;
  double sum_ = 0, maximum_ = 0;
};

}  // namespace jostle::sim
