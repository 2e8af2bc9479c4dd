// The law of sharing in space against what was measured: streams of kernels that only spin, on an H200.
//
// Each stream is a closed loop of equal kernels. Their time alone is measured, or follows from their cycles;
// the time between two of them is as measured alone. What streams get beside each other is the law's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "calibration/embedded.hpp"
#include "calibration/profile/profile.hpp"
#include "calibration/readers/csv.hpp"
#include "models/board/spec.hpp"
#include "models/gpu/dispatcher.hpp"
#include "models/gpu/occupancy.hpp"

namespace jostle::gpu::space {
namespace {

using sim::Duration;
using sim::Time;

struct MeasuredStream {
  Kernel kernel;
  Duration gap, gap_between_batches;  // from the end of a kernel to the start of the next
  int kernels = 1;                    // of a batch
  Priority priority = Priority::normal;
  double rate = 0;  // kernels per second
};
using Configuration = std::vector<MeasuredStream>;

Spec h200() {
  input::Problems problems;
  Spec gpu = calibration::shipped_profile("nvidia-h200", problems).value().spec->gpu;
  // Times are of blocks, not of a profiler. All streams run the same instructions; what a kernel beside
  // another takes longer yet was fitted to these rows.
  gpu.space_sharing.kernel_start = Duration::zero();
  gpu.space_sharing.fetch = sim::nanoseconds(80);
  return gpu;
}

class Table {
 public:
  Table() : csv_(calibration::CsvTable::parse(calibration::embedded_file(name).value(), name)), gpu_(h200()) {
    for (std::size_t i = 0; i < csv_.rows(); ++i)
      if (text(i, "streams") == "1" && text(i, "kind") == "spin") alone_[type(i)] = i;
  }
  [[nodiscard]] const Spec& gpu() const { return gpu_; }

  // Those of which every kernel spins.
  [[nodiscard]] std::vector<Configuration> spinning() const {
    std::vector<Configuration> all;
    for (std::size_t i = 0; i < csv_.rows();) {
      std::size_t end = i;
      bool spin = true;
      for (; end < csv_.rows() && text(end, "run") == text(i, "run"); ++end)
        spin = spin && text(end, "kind") == "spin";
      if (spin) {
        all.emplace_back();
        for (std::size_t row = i; row < end; ++row) all.back().push_back(stream(row));
      }
      i = end;
    }
    return all;
  }

 private:
  using Type = std::vector<std::string>;
  static constexpr const char* name = "evidence/h200-space/streams_synthetic.csv";

  [[nodiscard]] const std::string& text(std::size_t row, const char* column) const {
    return csv_.row(row).text(csv_.column(column));
  }
  [[nodiscard]] double number(std::size_t row, const char* column) const {
    return csv_.row(row).number(csv_.column(column));
  }
  [[nodiscard]] Type type(std::size_t row) const {
    Type all;
    for (const char* column : {"blocks", "threads", "smem_bytes", "work", "batch_kernels", "mode"})
      all.push_back(text(row, column));
    return all;
  }
  [[nodiscard]] MeasuredStream stream(std::size_t row) const {
    MeasuredStream found;
    found.kernel.blocks = static_cast<std::uint32_t>(number(row, "blocks"));
    found.kernel.threads_per_block = static_cast<std::uint32_t>(number(row, "threads"));
    found.kernel.registers_per_thread = 32;
    found.kernel.shared_bytes = static_cast<std::uint32_t>(number(row, "smem_bytes"));
    found.kernels = static_cast<int>(number(row, "batch_kernels"));
    found.rate = number(row, "kernels_per_s");
    if (number(row, "priority") > 0) found.priority = Priority::high;
    const auto alone = alone_.find(type(row));
    const auto us = [&](const char* column) { return sim::nanoseconds(1e3 * number(alone->second, column)); };
    if (alone != alone_.end()) {
      found.kernel.duration = us("duration_p50_us");
      found.gap = us("gap_in_batch_p50_us");
      found.gap_between_batches = us("gap_between_batches_p50_us");
      return found;
    }
    // 0.2 us of a block are not spent spinning.
    const Duration wave = sim::nanoseconds(1e3 * number(row, "work") / 1980 + 200);
    const std::int64_t count = waves(gpu_, found.kernel);
    const Duration turnover = gpu_.space_sharing.block_turnover;
    found.kernel.duration = wave * count + turnover * (count - 1);
    const bool graph = text(row, "mode") == "graph";
    found.gap = sim::nanoseconds(graph ? 1470 : 2500);
    found.gap_between_batches = sim::nanoseconds(graph ? 2700 : 2500);
    return found;
  }

  calibration::CsvTable csv_;
  Spec gpu_;
  std::map<Type, std::size_t> alone_;
};

// Kernels per second of each stream.
std::vector<double> predicted(const Spec& gpu, const Configuration& streams) {
  Dispatcher dispatcher(gpu);
  std::vector<Time> ready;
  std::vector<int> kernels(streams.size(), 0), counted(streams.size(), 0);
  std::vector<bool> waits(streams.size(), true);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    dispatcher.add_stream(
        {.priority = streams[i].priority, .sms = {0, gpu.sm_count}, .connection = static_cast<int>(i)});
    ready.push_back(Time{} + sim::nanoseconds(130.0 * static_cast<double>(i)));  // not all at once
  }
  const Time from = Time{} + sim::milliseconds(3), to = from + sim::milliseconds(30);
  std::vector<int> done;
  for (Time now; now < to;) {
    done.clear();
    dispatcher.run_until(now);
    dispatcher.end(done);
    for (const int of : done) {
      const auto i = static_cast<std::size_t>(of);
      if (now >= from) ++counted[i];
      const bool last = ++kernels[i] % streams[i].kernels == 0;
      ready[i] = now + (last ? streams[i].gap_between_batches : streams[i].gap);
      waits[i] = true;
    }
    std::vector<std::size_t> joining;
    for (std::size_t i = 0; i < streams.size(); ++i)
      if (waits[i] && ready[i] <= now) joining.push_back(i);
    std::ranges::sort(joining, {}, [&](std::size_t i) { return ready[i]; });
    for (const std::size_t i : joining) {
      waits[i] = false;
      dispatcher.ready(static_cast<int>(i), work_of(gpu, streams[i].kernel));
    }
    dispatcher.dispatch();
    Time next = dispatcher.next();
    for (std::size_t i = 0; i < streams.size(); ++i)
      if (waits[i] && ready[i] > now) next = std::min(next, ready[i]);
    now = next;
  }
  std::vector<double> rates;
  for (const int count : counted) rates.push_back(count / sim::to_seconds(to - from));
  return rates;
}

// Asked: 2.5 % in the mean, 1 % in the median.
TEST(StreamsMeasured, spinning_kernels_get_what_the_law_says) {
  const Table table;
  std::vector<double> errors;
  for (const Configuration& streams : table.spinning()) {
    const std::vector<double> rates = predicted(table.gpu(), streams);
    for (std::size_t i = 0; i < streams.size(); ++i)
      errors.push_back(std::abs(rates[i] / streams[i].rate - 1));
  }
  ASSERT_GT(errors.size(), 250U);
  std::ranges::sort(errors);
  double sum = 0;
  for (const double error : errors) sum += error;
  const double mean = sum / static_cast<double>(errors.size()), median = errors[errors.size() / 2];
  RecordProperty("mean", fmt::format("{:.4f}", mean));
  EXPECT_LT(mean, 0.025) << "of " << errors.size() << " streams";
  EXPECT_LT(median, 0.010);
}

}  // namespace
}  // namespace jostle::gpu::space
