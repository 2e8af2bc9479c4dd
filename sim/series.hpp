// Numbers in the order in which they came, to say how well their mean and their quantiles are known.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/batch_means.hpp"

namespace jostle::sim {

class Series {
 public:
  // More numbers are thinned out evenly: every second one goes, and of those to come every second is taken.
  static constexpr std::size_t max_kept = std::size_t{1} << 18;

  void add(double x);
  // Discards the numbers so far (end of the warm-up).
  void clear() { *this = {}; }

  [[nodiscard]] std::size_t kept() const { return numbers_.size(); }

  // 95 % confidence intervals, of a correlated series. Undefined with too few numbers.
  [[nodiscard]] std::optional<Interval> mean_ci95() const;
  // Of the p-quantiles. The share of numbers up to the quantile is a mean, so batch means tell how far it may
  // be off; the quantiles at the two ends of that interval are the interval of the quantile (order
  // statistics; Law and Kelton, section 9.5.3). Undefined where an end lies beyond the numbers.
  [[nodiscard]] std::vector<std::optional<Interval>> quantile_ci95(const std::vector<double>& p) const;

 private:
  std::vector<double> numbers_;
  std::size_t stride_ = 1, skipped_ = 0;
};

}  // namespace jostle::sim
