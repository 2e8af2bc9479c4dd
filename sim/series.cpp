#include "sim/series.hpp"

#include <algorithm>
#include <cmath>

namespace jostle::sim {

namespace {

// The p-quantile of sorted numbers, between neighbours in proportion.
double quantile(const std::vector<double>& sorted, double p) {
  const double rank = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - std::floor(rank)) * (sorted[above] - sorted[below]);
}

}  // namespace

void Series::add(double x) {
  if (++skipped_ < stride_) return;
  skipped_ = 0;
  numbers_.push_back(x);
  if (numbers_.size() < max_kept) return;
  for (std::size_t i = 0; 2 * i < numbers_.size(); ++i) numbers_[i] = numbers_[2 * i];
  numbers_.resize(numbers_.size() / 2);
  stride_ *= 2;
}

std::optional<Interval> Series::mean_ci95() const {
  BatchMeans means;
  for (const double x : numbers_) means.add(x);
  return means.ci95();
}

std::vector<std::optional<Interval>> Series::quantile_ci95(const std::vector<double>& p) const {
  std::vector<double> sorted = numbers_;
  std::ranges::sort(sorted);
  std::vector<std::optional<Interval>> intervals;
  for (const double share : p) {
    auto& interval = intervals.emplace_back();
    if (sorted.empty()) continue;
    if (sorted.front() == sorted.back()) {  // nothing varies
      if (sorted.size() >= BatchMeans::fewest_batches) interval = {sorted.front(), sorted.back()};
      continue;
    }
    const double here = quantile(sorted, share);
    BatchMeans below;
    for (const double x : numbers_) below.add(x <= here ? 1 : 0);
    const std::optional<Interval> found = below.ci95();
    if (!found) continue;
    // At least what independent numbers would leave open: batches may all hold equally many by chance.
    const double independent = 1.96 * std::sqrt(share * (1 - share) / static_cast<double>(sorted.size()));
    const double half = std::max((found->high - found->low) / 2, independent);
    if (share - half < 0 || share + half > 1) continue;
    interval = {quantile(sorted, share - half), quantile(sorted, share + half)};
  }
  return intervals;
}

}  // namespace jostle::sim
