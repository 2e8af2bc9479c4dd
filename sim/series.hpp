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

  void add(double x) {
    if (++skipped_ < stride_) return;
    skipped_ = 0;
    numbers_.push_back(x);
    if (numbers_.size() == max_kept) thin_out();
  }
  // Discards the numbers so far (end of the warm-up).
  void clear() { *this = {}; }

  [[nodiscard]] std::size_t kept() const { return numbers_.size(); }

  // 95 % confidence intervals, of a correlated series. Undefined with too few numbers.
  [[nodiscard]] std::optional<Interval> mean_ci95() const;
  // How many independent numbers a 95 % interval of the p-quantile needs that supposes nothing of their
  // distribution: the largest (for p < 0.5 the smallest) is beyond the quantile with 97.5 %. 368 for p =
  // 0.99.
  [[nodiscard]] static std::size_t needed(double p);

  // The 95 % interval of a quantile; or none, and how many times as long the series would have to be.
  struct Known {
    std::optional<Interval> ci95;
    double longer = 1;
  };
  // Of the p-quantiles. The share of numbers up to the quantile is a mean, so batch means tell how far it may
  // be off; the quantiles at the two ends of that interval are the interval of the quantile (order
  // statistics; Law and Kelton, section 9.5.3). In the tail (p > 0.75) numbers come in clusters, as a busy
  // period brings many late ones at once: at least three clusters must be there, the interval is no narrower
  // than so many tell, and an end beyond all numbers is read off an exponential tail.
  [[nodiscard]] std::vector<Known> quantiles_known(const std::vector<double>& p) const;
  // The same for those who keep the numbers in ascending order, too, if it has kept them all (kept()).
  [[nodiscard]] std::vector<Known> quantiles_known(const std::vector<double>& p,
                                                   const std::vector<double>& sorted) const;

 private:
  void thin_out();
  [[nodiscard]] Known known(const std::vector<double>& sorted, double p) const;

  std::vector<double> numbers_;
  std::size_t stride_ = 1, skipped_ = 0;
};

}  // namespace jostle::sim
