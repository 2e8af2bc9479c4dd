// Two speeds from times of blocks.
#include "calibration/probe/two_speeds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

namespace jostle::calibration::probe {
namespace {

constexpr std::size_t blocks_a_reading = 25;
constexpr double least_factor = 1.15, least_spreads = 4, least_share = 0.02;

// The logarithms of medians of consecutive blocks.
std::vector<double> readings_of(const std::vector<double>& blocks) {
  std::vector<double> readings;
  for (std::size_t at = 0; at + blocks_a_reading <= blocks.size(); at += blocks_a_reading) {
    const auto first = blocks.begin() + static_cast<std::ptrdiff_t>(at);
    const double middle = median({first, first + static_cast<std::ptrdiff_t>(blocks_a_reading)});
    if (middle > 0) readings.push_back(std::log(middle));
  }
  return readings;
}

// The border between two groups of ascending values whose squared distances from their means are least.
double border_of(const std::vector<double>& ascending) {
  double low = ascending.front(), high = ascending.back();
  for (int step = 0; step < 100; ++step) {
    const auto middle = std::ranges::upper_bound(ascending, (low + high) / 2);
    if (middle == ascending.begin() || middle == ascending.end()) break;
    const auto mean = [](auto from, auto to) {
      return std::accumulate(from, to, 0.0) / static_cast<double>(to - from);
    };
    const std::pair moved{mean(ascending.begin(), middle), mean(middle, ascending.end())};
    if (moved == std::pair{low, high}) break;
    std::tie(low, high) = moved;
  }
  return (low + high) / 2;
}

// Half of the distance between the quantiles of 16 and 84 %: a standard deviation that few outliers leave as
// it is.
double spread_of(const std::vector<double>& values) {
  return (quantile(values, 0.84) - quantile(values, 0.16)) / 2;
}

}  // namespace

std::optional<SpeedsFound> find_two_speeds(const std::vector<std::vector<double>>& cores) {
  std::vector<std::vector<double>> series;
  std::vector<double> all;
  for (const auto& blocks : cores) {
    series.push_back(readings_of(blocks));
    all.insert(all.end(), series.back().begin(), series.back().end());
  }
  if (all.size() < 20) return std::nullopt;
  std::ranges::sort(all);
  const double border = border_of(all);
  const auto first_slow = std::ranges::upper_bound(all, border);
  const std::vector<double> quick(all.begin(), first_slow), slow(first_slow, all.end());
  const double least = least_share * static_cast<double>(all.size());
  if (static_cast<double>(std::min(quick.size(), slow.size())) < least) return std::nullopt;
  const double apart = median(slow) - median(quick);
  const double spread = std::max(spread_of(quick), spread_of(slow));
  if (apart < std::log(least_factor) || apart < least_spreads * spread) return std::nullopt;

  double slow_ms = 0, quick_ms = 0;
  std::size_t ends = 0;
  for (const auto& readings : series) {
    for (std::size_t i = 0; i < readings.size(); ++i) {
      const double ms = static_cast<double>(blocks_a_reading) * std::exp(readings[i]);
      (readings[i] > border ? slow_ms : quick_ms) += ms;
      ends += i > 0 && readings[i - 1] > border && readings[i] <= border ? 1 : 0;
    }
  }
  const double weight = slow_ms / (slow_ms + quick_ms);
  const auto times = static_cast<double>(std::max<std::size_t>(ends, 1));
  return SpeedsFound{
      .factor = {std::exp(apart),
                 spread / std::sqrt(static_cast<double>(std::min(quick.size(), slow.size()))), all.size()},
      .weight = {weight, std::sqrt((1 - weight) / times), ends},
      .slow_ms = {slow_ms / times, 1 / std::sqrt(times), ends}};
}

}  // namespace jostle::calibration::probe
