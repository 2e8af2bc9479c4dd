// Numbers in the order in which they came, for the confidence intervals of their mean and quantiles.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/batch_means.hpp"

namespace jostle::sim {

class Series {
 public:
  // If there are more numbers, they are thinned out evenly: every second one is removed, and every second one
  // of the following is taken.
  static constexpr std::size_t max_kept = std::size_t{1} << 18;

  void add(double x) {
    if (++skipped_ < stride_) return;
    skipped_ = 0;
    numbers_.push_back(x);
    if (numbers_.size() == max_kept) thin_out();
  }
  // Discards the numbers so far (end of the warm-up).
  void clear() { *this = {}; }

  [[nodiscard]] std::size_t kept() const { return numbers_.size(); }

  // 95 % confidence intervals of a correlated series. Undefined with too few numbers.
  [[nodiscard]] std::optional<Interval> mean_ci95() const;
  // The number of independent numbers that a 95 % interval of the p-quantile needs without assumptions about
  // their distribution: with probability 97.5 % the largest (for p < 0.5 the smallest) is beyond the
  // quantile. 368 for p = 0.99.
  [[nodiscard]] static std::size_t needed(double p);

  // The 95 % interval of a quantile; if none, the required length of the series relative to the present one.
  struct Known {
    std::optional<Interval> ci95;
    double longer = 1;
  };
  // The intervals of the p-quantiles. The share of numbers up to the quantile is a mean, so batch means give
  // its interval; the quantiles at the two ends of that interval are the ends of the quantile's interval
  // (order statistics; Law and Kelton, section 9.5.3). In the tail (p > 0.75) numbers come in clusters,
  // because a busy period brings many late ones at once. Therefore at least three clusters must be there, the
  // interval is no narrower than their number permits, and an end beyond all numbers is read from an
  // exponential tail.
  [[nodiscard]] std::vector<Known> quantiles_known(const std::vector<double>& p) const;
  // The same for callers that also keep the numbers in ascending order, if all have been kept (kept()).
  [[nodiscard]] std::vector<Known> quantiles_known(const std::vector<double>& p,
                                                   const std::vector<double>& sorted) const;

 private:
  void thin_out();
  [[nodiscard]] Known known(const std::vector<double>& sorted, double p) const;

  std::vector<double> numbers_;
  std::size_t stride_ = 1, skipped_ = 0;
};

}  // namespace jostle::sim
