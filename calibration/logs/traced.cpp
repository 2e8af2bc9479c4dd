#include "calibration/logs/traced.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "calibration/logs/timed_calls.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t most_events = 2'000'000;

// The host's time over that under the profiler, where a launch call takes `quiet_call_us` in the trace:
// fitted on ten networks of evidence/h200-random (left out one by one 9.7 %), 7.5 % off on ten others of an
// H100's host.
constexpr double without_profiler = 0.52, quiet_call_us = 5.5;
// The most by which launch calls of a disturbed host are longer, or shorter. Beyond that they are those of
// other cores, of which nothing is known: the span then counts as it is.
constexpr double most_disturbed = 2;

bool launches_work(std::string_view name) {
  constexpr std::array<std::string_view, 6> names{"cudaLaunchKernel", "cudaLaunchKernelExC",
                                                  "cuLaunchKernel",   "cuLaunchKernelEx",
                                                  "cudaMemsetAsync",  "cudaMemcpyAsync"};
  return std::ranges::find(names, name) != names.end();
}

Measurement batch_row(const char* metric, double value, const char* unit, std::int64_t count) {
  return {.metric = metric, .value = value, .unit = unit, .count = count};
}

constexpr std::size_t most_kernels = 2'000'000;

}  // namespace

void TracedHost::add_operator(std::string_view name, double thread, Span span) {
  if (kept_ >= most_events || names_.size() >= TimedCalls::max_names) return;
  ++kept_;
  auto known = names_.find(name);
  if (known == names_.end())
    known = names_.emplace(std::string(name), static_cast<std::int64_t>(names_.size())).first;
  threads_[thread].push_back({span, known->second});
}

void TracedHost::add_call(std::string_view name, Span span) {
  if (kept_ >= most_events || !launches_work(name)) return;
  ++kept_;
  calls_.push_back({span, name == "cudaMemcpyAsync"});
}

std::vector<TracedHost::Operator> TracedHost::outermost() const {
  std::vector<Operator> found;
  if (threads_.empty()) return found;
  std::vector<Operator> all =
      std::ranges::max_element(threads_, {}, [](const auto& thread) { return thread.second.size(); })->second;
  std::ranges::stable_sort(all, [](const Operator& a, const Operator& b) {
    return std::pair(a.span.start, -a.span.duration) < std::pair(b.span.start, -b.span.duration);
  });
  for (const Operator& one : all)
    if (found.empty() || one.span.start >= found.back().span.end()) found.push_back(one);
  return found;
}

TracedHost::Batch TracedHost::batch_of(const std::vector<Operator>& operators, std::size_t first,
                                       std::size_t count, const std::vector<Call>& calls) {
  Batch batch;
  std::vector<double> launches;
  auto call = std::ranges::lower_bound(calls, operators[first].span.start, {},
                                       [](const Call& one) { return one.span.start; });
  for (std::size_t i = first; i < first + count; ++i) {
    const Span& span = operators[i].span;
    double own = 0;
    for (; call != calls.end() && call->span.start < span.end(); ++call) {
      if (call->span.start >= span.start) ++own;
      if (!call->copies) launches.push_back(call->span.duration);
    }
    batch.launches += own;
    if (own > 0) ++batch.launching;
  }
  batch.span = operators[first + count - 1].span.end() - operators[first].span.start;
  if (launches.empty()) return batch;
  const auto middle = launches.begin() + static_cast<std::ptrdiff_t>(launches.size() / 2);
  std::ranges::nth_element(launches, middle);
  batch.median_call = *middle;
  return batch;
}

bool TracedHost::rows(Import& result) const {
  const std::vector<Operator> all = outermost();
  std::vector<std::int64_t> names;
  for (const Operator& one : all) names.push_back(one.name);
  const RepeatedStretch stretch = repeated_stretch(names);
  if (stretch.period == 0) return false;
  std::vector<Call> calls = calls_;
  std::ranges::sort(calls, {}, [](const Call& one) { return one.span.start; });
  // Batches are whole, or begin after the longest pause.
  std::size_t begin = stretch.first;
  if (!stretch.whole()) {
    double longest = -1;
    for (std::size_t i = stretch.first + 1; i <= stretch.first + stretch.period; ++i) {
      const double pause = i < all.size() ? all[i].span.start - all[i - 1].span.end() : -1;
      if (pause > longest) begin = i;
      longest = std::max(longest, pause);
    }
  }
  std::vector<Batch> batches;
  for (std::size_t at = begin; at + stretch.period <= stretch.first + stretch.length; at += stretch.period)
    batches.push_back(batch_of(all, at, stretch.period, calls));
  if (batches.size() > 1) batches.erase(batches.begin());
  if (batches.empty() || batches.back().launching == 0) return false;
  const Batch& best = *std::ranges::min_element(batches, {}, &Batch::span);
  const double disturbed = best.median_call / quiet_call_us;
  const bool alike = disturbed >= 1 / most_disturbed && disturbed <= most_disturbed;
  const double host = without_profiler * best.span / (alike ? disturbed : 1);
  const Batch& last = batches.back();
  const double views = static_cast<double>(stretch.period) - last.launching;
  const auto count = static_cast<std::int64_t>(batches.size());
  result.rows.push_back(batch_row("launching_operators", last.launching, "", count));
  result.rows.push_back(batch_row("view_operators", views, "", count));
  result.rows.push_back(batch_row("host_time", host, "us", count));
  result.notes.push_back(
      fmt::format("operators of a batch: {} that launch, {} that launch nothing, {} further launches. Calls "
                  "took longer under the profiler: without it the host's time for a batch is some {:.2f} ms "
                  "(host_time), which counts where the profile has no costs of operators",
                  last.launching, views, last.launches - last.launching, host / 1000));
  return true;
}

void TracedKernels::add(std::string_view name, double start, double duration, Launch launch) {
  if (ones_.size() >= most_kernels || kinds_.size() >= TimedCalls::max_names) {
    too_many_ = true;
    return;
  }
  name = name.substr(0, TimedCalls::max_name);
  const auto [at, is_new] = ids_.emplace(std::tuple(std::string(name), launch.grid, launch.block),
                                         static_cast<std::int64_t>(kinds_.size()));
  if (is_new) kinds_.push_back({std::string(name), std::move(launch)});
  ones_.push_back({start, duration, at->second});
}

void TracedKernels::rows(Import& result) const {
  if (ones_.empty()) return;
  if (too_many_) {
    result.notes.emplace_back("too many kernels for a batch in order: profile a few batches only");
    return;
  }
  std::vector<One> sorted = ones_;
  std::ranges::stable_sort(sorted, {}, &One::start);
  RepeatedKernels in_order;
  for (const One& one : sorted)
    in_order.add(one.kind, static_cast<std::int64_t>(std::llround(one.start * 1000)), one.duration * 1000);
  const auto batch = in_order.batch_of_few();
  if (batch.empty()) {
    result.notes.push_back(
        fmt::format("no sequence of the {} kernels repeats, so there is no kernel table: profile three or "
                    "more batches of the network alone, one after the other",
                    sorted.size()));
    return;
  }
  double sum = 0;
  for (const RepeatedKernels::Kernel& kernel : batch) {
    const Kind& kind = kinds_[static_cast<std::size_t>(kernel.name)];
    Measurement row = kernel.time;
    row.value = row.median.value_or(row.value);
    row.of = kind.name.empty() ? "(unnamed)" : kind.name;
    row.launch = kind.launch;
    sum += row.value;
    result.rows.push_back(std::move(row));
  }
  result.notes.push_back(fmt::format(
      "layer_time: the {} kernels of a batch in order, {:.1f} us, medians of the {} batches in the trace",
      batch.size(), sum, batch.front().time.count));
}

}  // namespace jostle::calibration
