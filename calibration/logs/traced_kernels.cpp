#include "calibration/logs/traced_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "calibration/logs/repeated_kernels.hpp"
#include "calibration/logs/timed_calls.hpp"

namespace jostle::calibration {
namespace {

constexpr std::size_t most_kernels = 2'000'000;

}  // namespace

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
    result.notes.push_back(fmt::format(
        "no sequence of the {} kernels repeats, so there is no kernel table: profile three or more "
        "batches of the network alone, one after the other",
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
