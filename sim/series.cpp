#include "sim/series.hpp"

#include <algorithm>
#include <boost/sort/spreadsort/float_sort.hpp>
#include <cmath>

#include "sim/math.hpp"

namespace jostle::sim {
namespace {

// With fewer clusters than this beyond a quantile, its interval is undefined: such runs have met too few long
// values (docs/statistics.md has the coverage for more and fewer).
constexpr double fewest_clusters = 3;

bool is_tail(double p) {
  return p > 0.75;
}

// The p-quantile of sorted numbers, interpolated linearly between neighbours.
double quantile(const std::vector<double>& sorted, double p) {
  const double rank = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - std::floor(rank)) * (sorted[above] - sorted[below]);
}

// The share of numbers beyond the level at which the clusters of a p-quantile's tail are counted: ten times
// the tail's share, at most half of all numbers.
double often(double p) {
  return std::min(0.5, 10 * (1 - p));
}

// Numbers above a limit come in clusters (busy periods of a queue). A cluster ends when the numbers fall to
// `rest` or below.
struct Clusters {
  std::size_t count = 0;
  double square_sizes = 0;  // sum of the squares of the clusters' sizes (numbers above the limit)
};
Clusters clusters_above(const std::vector<double>& numbers, double limit, double rest) {
  // The loop has no branches, because they would be taken at random.
  double count = 0, square_sizes = 0, size = 0;
  for (const double x : numbers) {
    const bool ends = x <= rest;
    square_sizes += ends ? size * size : 0;
    count += ends && size > 0 ? 1 : 0;
    size = ends ? 0 : size + (x > limit ? 1 : 0);
  }
  return {.count = static_cast<std::size_t>(count) + (size > 0 ? 1 : 0),
          .square_sizes = square_sizes + size * size};
}

// The expected number of clusters beyond the p-quantile, estimated from those beyond the more frequent level.
// The clusters beyond the p-quantile itself are few if it is estimated too high and many if it is estimated
// too low, so they cannot show if there are enough.
double clusters_beyond(const std::vector<double>& numbers, const std::vector<double>& sorted, double p) {
  const double level = 1 - often(p);
  const Clusters clusters = clusters_above(numbers, quantile(sorted, level), quantile(sorted, level / 2));
  return static_cast<double>(clusters.count) * (1 - p) / (1 - level);
}

// True if the numbers are equal from the more frequent level up to the p-quantile, or within 5 % (by which
// the best predictions are off) from the median up to it: then the quantile is that number, however few
// clusters lie beyond it. The latencies of cameras creep like that: the times at which their pictures meet
// repeat after minutes.
bool flat(const std::vector<double>& sorted, double p) {
  constexpr double alike = 1.05;
  const double number = quantile(sorted, p);
  return number == quantile(sorted, 1 - often(p)) || number <= alike * quantile(sorted, 0.5);
}

// Half the 95 % interval of the share of numbers up to the p-quantile. In the tail, the interval is no
// narrower than the number of clusters beyond the quantile permits. Undefined with too few numbers.
std::optional<double> half_width_of_share(const std::vector<double>& numbers,
                                          const std::vector<double>& sorted, double p) {
  const double limit = quantile(sorted, p), n = static_cast<double>(numbers.size());
  const BatchMeans below = BatchMeans::of_share(numbers, limit);
  const std::optional<Interval> found = below.ci95();
  if (!found) return std::nullopt;
  const double share = *below.mean();
  // The minimum is the interval of independent numbers: all batches may have equal shares by chance.
  const double half = std::max((found->high - found->low) / 2, 1.96 * std::sqrt(share * (1 - share) / n));
  if (!is_tail(p) || flat(sorted, p)) return half;
  const double clusters = clusters_beyond(numbers, sorted, p);
  if (clusters < fewest_clusters) return std::nullopt;
  const Clusters beyond = clusters_above(numbers, limit, quantile(sorted, 0.5));
  const double by_clusters = 1.96 * share * std::sqrt(beyond.square_sizes) / n;  // compound Poisson
  return std::max(half, by_clusters) * student_t_95(static_cast<std::size_t>(clusters) - 1) / 1.96;
}

// The lower end of a share whose interval has half the relative width `half`, relative to the share. The
// number of clusters beyond a quantile is Poisson-distributed, and the 2.5 % point of a Poisson distribution
// with mean c is near c - 1.96 sqrt(c); but a few clusters never prove that there are none. Below a third the
// result falls exponentially, continuing with the same slope.
double least_of(double half) {
  return half < 2.0 / 3 ? 1 - half : exp(2 - 3 * half) / 3;
}

// The number that a share `beyond` of all numbers exceeds. Beyond the largest number the tail continues with
// its slope up to the p-quantile: exponentially, like waits in queues.
double exceeded_by(double beyond, const std::vector<double>& sorted, double p) {
  const double least = 1 / static_cast<double>(sorted.size());
  const double inside = quantile(sorted, 1 - std::max(beyond, least));
  if (beyond >= least || !is_tail(p)) return inside;
  const double here = quantile(sorted, p);
  const double slope = (here - quantile(sorted, 1 - often(p))) / log(often(p) / (1 - p));
  return std::max(inside, here + slope * log((1 - p) / beyond));
}

}  // namespace

void Series::thin_out() {
  for (std::size_t i = 0; 2 * i < numbers_.size(); ++i) numbers_[i] = numbers_[2 * i];
  numbers_.resize(numbers_.size() / 2);
  stride_ *= 2;
}

std::optional<Interval> Series::mean_ci95() const {
  BatchMeans means;
  for (const double x : numbers_) means.add(x);
  return means.ci95_of_times();
}

std::size_t Series::needed(double p) {
  const double rarer = std::min(p, 1 - p);
  return static_cast<std::size_t>(std::ceil(log(0.025) / log(1 - rarer)));
}

std::vector<Series::Known> Series::quantiles_known(const std::vector<double>& p) const {
  std::vector<double> sorted = numbers_;
  boost::sort::spreadsort::float_sort(sorted.begin(), sorted.end());
  return quantiles_known(p, sorted);
}

std::vector<Series::Known> Series::quantiles_known(const std::vector<double>& p,
                                                   const std::vector<double>& sorted) const {
  std::vector<Known> all;
  for (const double share : p) all.push_back(known(sorted, share));
  return all;
}

Series::Known Series::known(const std::vector<double>& sorted, double p) const {
  const auto n = static_cast<double>(sorted.size());
  const std::size_t fewest = std::max(needed(p), BatchMeans::fewest_batches);
  if (sorted.empty()) return {};
  // All numbers are equal: a simulation that repeats itself.
  if (sorted.size() >= BatchMeans::fewest_batches && sorted.front() == sorted.back())
    return {.ci95 = Interval{sorted.front(), sorted.back()}, .longer = 1};
  const std::optional<double> half =
      sorted.size() < fewest ? std::nullopt : half_width_of_share(numbers_, sorted, p);
  if (!half) {
    constexpr double margin = 1.25;  // a run that is just long enough may miss by chance
    double longer = static_cast<double>(fewest) / n;
    if (is_tail(p) && !flat(sorted, p))
      longer = std::max(longer,
                        fewest_clusters / std::max(clusters_beyond(numbers_, sorted, p), (1 - p) / often(p)));
    return {.ci95 = {}, .longer = margin * std::max(longer, 1.0)};
  }
  const double from = p * least_of(*half / p), beyond = (1 - p) * least_of(*half / (1 - p));
  if (!is_tail(p) && std::min(from, beyond) * n < 1) return {.ci95 = {}, .longer = 2};
  return {.ci95 = Interval{quantile(sorted, from), exceeded_by(beyond, sorted, p)}, .longer = 1};
}

}  // namespace jostle::sim
