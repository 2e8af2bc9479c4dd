// Means of a quantity over equal intervals, limited in number: when there are too many, neighbours are
// merged.
#pragma once

#include <cstddef>
#include <vector>

#include "sim/time.hpp"

namespace jostle::sim {

class IntervalMeans {
 public:
  static constexpr std::size_t max_kept = 1024;

  // `interval`: the length that the mean of one add() refers to.
  explicit IntervalMeans(Duration interval) : interval_(interval) {}

  void add(double mean) {
    open_ += mean;
    if (++open_count_ < merged_) return;
    means_.push_back(open_ / static_cast<double>(merged_));
    open_ = 0;
    open_count_ = 0;
    if (means_.size() < max_kept) return;
    for (std::size_t i = 0; i < max_kept / 2; ++i) means_[i] = (means_[2 * i] + means_[2 * i + 1]) / 2;
    means_.resize(max_kept / 2);
    merged_ *= 2;
  }

  [[nodiscard]] const std::vector<double>& values() const { return means_; }
  // The length that each of the values refers to.
  [[nodiscard]] Duration interval() const { return interval_ * static_cast<std::int64_t>(merged_); }
  // Index of the first value that lies wholly at or after `begin`; values().size() if there is none.
  [[nodiscard]] std::size_t from(Time begin) const {
    const std::int64_t length = interval().ps();
    const auto first = static_cast<std::size_t>(((begin - Time::zero()).ps() + length - 1) / length);
    return first < means_.size() ? first : means_.size();
  }

 private:
  Duration interval_;
  std::size_t merged_ = 1, open_count_ = 0;
  double open_ = 0;
  std::vector<double> means_;
};

}  // namespace jostle::sim
