#include "sim/series.hpp"

#include <algorithm>
#include <cmath>

#include "sim/math.hpp"

namespace jostle::sim {

namespace {

// The p-quantile of sorted numbers, between neighbours in proportion.
double quantile(const std::vector<double>& sorted, double p) {
  const double rank = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - std::floor(rank)) * (sorted[above] - sorted[below]);
}

// How often the numbers go from at or below a limit to above it.
std::size_t excursions_above(const std::vector<double>& numbers, double limit) {
  std::size_t count = 0;
  bool above = false;
  for (const double x : numbers) {
    count += x > limit && !above ? 1 : 0;
    above = x > limit;
  }
  return count;
}

// Half the 95 % interval of the share of numbers up to a limit. What lies beyond a high limit comes in a few
// clusters (busy periods of a queue), and the variance is known no better than from so many. Undefined with
// fewer than three.
std::optional<double> half_width_of_share(const std::vector<double>& numbers, double limit) {
  BatchMeans below;
  for (const double x : numbers) below.add(x <= limit ? 1 : 0);
  const std::optional<Interval> found = below.ci95();
  const std::size_t excursions = excursions_above(numbers, limit);
  if (!found || excursions < 3) return std::nullopt;
  const double share = *below.mean();
  // At least what independent numbers would leave open: batches may all hold equally many by chance.
  const double independent = 1.96 * std::sqrt(share * (1 - share) / static_cast<double>(numbers.size()));
  return std::max((found->high - found->low) / 2, independent) * student_t_95(excursions - 1) / 1.96;
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
    const std::optional<double> half = half_width_of_share(numbers_, here);
    if (!half) continue;
    // On the scale of log(share / (1 - share)), where the interval cannot leave 0 and 1.
    const double odds = share / (1 - share), width = exp(*half / (share * (1 - share)));
    const double from = odds / width / (1 + odds / width), to = odds * width / (1 + odds * width);
    if (std::min(from, 1 - to) * static_cast<double>(sorted.size()) < 1) continue;
    interval = {quantile(sorted, from), quantile(sorted, to)};
  }
  return intervals;
}

}  // namespace jostle::sim
