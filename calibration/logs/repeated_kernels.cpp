#include "calibration/logs/repeated_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "calibration/logs/measurement.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t most_kept = 200'000;
constexpr std::size_t fewest_batches = 3;

// The longest border of each prefix of the names (Knuth, Morris and Pratt): a prefix of n names repeats with
// the period n - border.
std::vector<std::size_t> borders_of(const std::vector<std::int64_t>& names) {
  std::vector<std::size_t> border(names.size(), 0);
  for (std::size_t i = 1, matched = 0; i < names.size(); ++i) {
    while (matched > 0 && names[i] != names[matched]) matched = border[matched - 1];
    if (names[i] == names[matched]) ++matched;
    border[i] = matched;
  }
  return border;
}

// The longest prefix in which a sequence repeats twice or more often; empty if there is none.
RepeatedStretch longest_repeating(const std::vector<std::int64_t>& names) {
  const std::vector<std::size_t> border = borders_of(names);
  for (std::size_t length = names.size(); length > 1; --length) {
    const std::size_t period = length - border[length - 1];
    if (length >= 2 * period) return {0, length, period};
  }
  return {};
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

RepeatedStretch repeated_stretch(const std::vector<std::int64_t>& names) {
  const RepeatedStretch first = longest_repeating(names);
  RepeatedStretch found = longest_repeating({names.rbegin(), names.rend()});
  found.first = names.size() - found.length;
  if (first.length >= found.length) found = first;
  return 2 * found.length < names.size() ? RepeatedStretch{} : found;
}

std::vector<std::int64_t> RepeatedKernels::names_of(std::span<const One> ones) {
  std::vector<std::int64_t> names;
  for (const One& one : ones) names.push_back(one.name);
  return names;
}

void RepeatedKernels::add(std::int64_t name, std::int64_t start, double duration) {
  if (kernels_.size() == most_kept) kernels_.erase(kernels_.begin(), kernels_.begin() + most_kept / 2);
  kernels_.push_back({name, start, duration});
}

std::vector<RepeatedKernels::Kernel> RepeatedKernels::batch() const {
  const std::vector<One> half(kernels_.begin() + static_cast<std::ptrdiff_t>(kernels_.size() / 2),
                              kernels_.end());
  const std::size_t period = half.empty() ? 0 : half.size() - borders_of(names_of(half)).back();
  if (period == 0 || half.size() < fewest_batches * period) return {};
  return in_order(half, period, false);
}

std::vector<RepeatedKernels::Kernel> RepeatedKernels::batch_of_few() const {
  const RepeatedStretch stretch = repeated_stretch(names_of(kernels_));
  if (stretch.period == 0) return {};
  return in_order(std::span<const One>(kernels_).subspan(stretch.first, stretch.length), stretch.period,
                  stretch.whole());
}

std::vector<RepeatedKernels::Kernel> RepeatedKernels::in_order(std::span<const One> ones, std::size_t period,
                                                               bool whole) {
  std::vector<Moments> times(period), pauses(period);  // pauses before each kernel
  std::vector<std::vector<double>> each(period);
  for (std::size_t i = 0; i < ones.size(); ++i) {
    times[i % period].add(ones[i].duration / 1000);
    each[i % period].push_back(ones[i].duration / 1000);
    if (i > 0)
      pauses[i % period].add(static_cast<double>(ones[i].start - ones[i - 1].start) - ones[i - 1].duration);
  }
  const auto first =
      whole ? std::size_t{0}
            : static_cast<std::size_t>(std::ranges::max_element(pauses, {}, &Moments::mean) - pauses.begin());
  std::vector<Kernel> found;
  for (std::size_t i = 0; i < period; ++i) {
    const std::size_t at = (first + i) % period;
    found.push_back({ones[at].name,
                     {.metric = "layer_time",
                      .value = times[at].mean,
                      .unit = "us",
                      .sd = times[at].sd(),
                      .median = median_of(std::move(each[at])),
                      .count = times[at].count}});
  }
  return found;
}

}  // namespace jostle::calibration
