#include "calibration/logs/timed_calls.hpp"

#include <algorithm>
#include <utility>

namespace jostle::calibration {
namespace {

Measurement row_of(const std::string& metric, const Moments& moments, std::string of) {
  return {.metric = metric,
          .value = moments.mean,
          .unit = "us",
          .sd = moments.sd(),
          .count = moments.count,
          .of = std::move(of)};
}

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

Moments& TimedCalls::of(std::string_view name) {
  name = name.substr(0, max_name);
  if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
  if (by_name_.size() >= max_names || name_bytes_ + name.size() > max_name_bytes) return by_name_["(others)"];
  name_bytes_ += name.size();
  return by_name_[std::string(name)];
}

Moments TimedCalls::all() const {
  // The order must not depend on the hash table, because sums of doubles depend on the order.
  std::vector<std::pair<std::string_view, const Moments*>> sorted;
  sorted.reserve(by_name_.size());
  for (const auto& [name, moments] : by_name_) sorted.emplace_back(name, &moments);
  std::ranges::sort(sorted, {}, [](const auto& entry) { return entry.first; });
  Moments all;
  for (const auto& [name, moments] : sorted) all.add(*moments);
  return all;
}

void TimedCalls::rows(const std::string& metric, bool with_total, std::vector<Measurement>& rows) const {
  if (by_name_.empty()) return;
  if (with_total) rows.push_back(row_of(metric, all(), ""));
  std::vector<std::pair<double, Measurement>> sorted;
  for (const auto& [name, moments] : by_name_)
    sorted.emplace_back(-moments.mean * static_cast<double>(moments.count), row_of(metric, moments, name));
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return std::pair(a.first, std::string_view(a.second.of)) <
           std::pair(b.first, std::string_view(b.second.of));
  });
  for (auto& [total, row] : sorted) rows.push_back(std::move(row));
}

std::string call_metric(std::string_view name) {
  const bool launches = name.starts_with("cudaLaunch") || name.starts_with("cuLaunch") ||
                        name.starts_with("cudaGraphLaunch") || name.starts_with("cuGraphLaunch");
  return launches ? "launch_call" : "api_call";
}

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
