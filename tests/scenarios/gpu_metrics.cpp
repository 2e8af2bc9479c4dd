// What the GPU's array did, in the mean and in windows, as a run tells it.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

const std::string mix =
    "device: nvidia-h200\n"
    "processes: [{model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin, count: 2},"
    " {model: mobilenet_v2, precision: tf32, runtime: eager, sync: blocking, arrivals: {poisson: 100 /s}}]\n"
    "run: {duration: 500 ms, warmup: 100 ms}\n";

void expect_layers(const SmArray& array, double busy) {
  EXPECT_LE(array.sm_active.value(), busy + 1e-9);
  EXPECT_LE(array.issue_slot.value(), array.sm_active.value() + 1e-9);
  EXPECT_LE(array.tensor_active.value(), array.sm_active.value() + 1e-9);
  EXPECT_LE(array.occupancy.value(), array.sm_active.value() + 1e-6);
  EXPECT_GE(array.issue_slot.value(), 0);
  EXPECT_GE(array.tensor_active.value(), 0);
}

TEST(SmArrayMeans, lie_within_the_time_that_kernels_run_and_those_of_processes_sum_to_the_boards) {
  const std::vector<std::string> runs{
      mix, "device: jetson-orin-nano\nprocesses: [{model: resnet50, precision: int8, count: 3}]\n",
      "device: jetson-tx2\nprocesses: [{model: mobilenet_v2, precision: fp16, batch: 4}]\n"
      "clocks: {gpu: 114.75 MHz}\n"};
  for (const std::string& text : runs) {
    SCOPED_TRACE(text);
    const Result result = run_text(text);
    expect_layers(result.system.gpu.array, result.system.gpu.busy.value());
    EXPECT_GT(result.system.gpu.array.sm_active.value(), 0);
    double sum = 0;
    for (const ProcessResult& process : result.processes) {
      expect_layers(process.gpu, process.time_share.value()[index_of(process::Share::gpu_running)]);
      sum += process.gpu.sm_active.value();
    }
    EXPECT_NEAR(sum, result.system.gpu.array.sm_active.value(), 1e-9);
  }
}

TEST(SmArrayMeans, are_zero_while_nothing_executes) {
  const Result result = run_text(
      "device: nvidia-h200\n"
      "processes: [{model: resnet50, precision: fp16, arrivals: {periodic: 1 /s, phase: 900 ms}}]\n"
      "run: {duration: 100 ms, warmup: 100 ms}\n");
  EXPECT_EQ(result.system.gpu.array.sm_active, 0.0);
  EXPECT_EQ(result.system.gpu.array.occupancy, 0.0);
  EXPECT_EQ(result.processes[0].gpu.tensor_active, 0.0);
  EXPECT_EQ(result.system.memory.bandwidth_gb_s, 0.0);
}

TEST(SmArrayMeans, of_a_synthetic_grid_are_those_of_its_blocks) {
  // One block on 132 SMs, all the time that kernels run.
  const Result result = run_text(
      "device: nvidia-h200\n"
      "processes: [{model: {kernels: 10, duration: 100 us, blocks: 33, threads: 64}, runtime: "
      "cuda-graph}]\n");
  EXPECT_NEAR(result.system.gpu.array.sm_active.value(), result.system.gpu.busy.value() * 33 / 132, 1e-6);
  EXPECT_NEAR(result.system.gpu.array.occupancy.value(),
              result.system.gpu.busy.value() * (33 * 2) / (132 * 64), 1e-6);
}

const WindowShares& shares_of(const GpuWindows& windows, const std::string& name) {
  return *std::ranges::find(windows.shares, name, &WindowShares::name);
}

TEST(GpuMetrics, have_the_means_of_the_run_and_cdfs_that_rise_to_one) {
  const Result result = run_text(mix + "gpu_metrics: 100 us\n");
  const auto check = [](const GpuWindows& windows, const SmArray& means) {
    EXPECT_EQ(windows.interval_us, 100);
    EXPECT_EQ(windows.samples, 5000);
    EXPECT_NEAR(shares_of(windows, "sm_active").mean.value(), means.sm_active.value(), 1e-9);
    EXPECT_NEAR(shares_of(windows, "issue_slot").mean.value(), means.issue_slot.value(), 1e-9);
    EXPECT_NEAR(shares_of(windows, "tensor_active").mean.value(), means.tensor_active.value(), 1e-9);
    EXPECT_NEAR(shares_of(windows, "occupancy").mean.value(), means.occupancy.value(), 1e-9);
    for (const WindowShares& shares : windows.shares) {
      ASSERT_EQ(shares.cdf.size(), 101U);
      EXPECT_TRUE(std::ranges::is_sorted(shares.cdf));
      EXPECT_EQ(shares.cdf.back(), 1);
      EXPECT_TRUE(std::ranges::is_sorted(shares.percentiles));
      EXPECT_LE(shares.mean.value(), shares.max.value() + 1e-12);
      EXPECT_LE(shares.max.value(), 1 + 1e-9) << shares.name;
    }
  };
  check(result.system.gpu.windows.value(), result.system.gpu.array);
  for (const ProcessResult& process : result.processes) check(process.gpu_windows.value(), process.gpu);
}

TEST(GpuMetrics, change_nothing_but_what_is_told) {
  Result plain = run_text(mix), sampled = run_text(mix + "gpu_metrics: 37 us\n");
  for (Result* result : {&plain, &sampled}) {
    result->scenario_hash = result->resolved = {};
    result->system.gpu.windows.reset();
    for (ProcessResult& process : result->processes) {
      process.gpu_windows.reset();
      process.gpu = {};  // sums of the same, in another order
      process.gpu_running_by = {};
    }
    result->system.gpu.array = {};
    result->system.memory.bandwidth_gb_s.reset();
  }
  EXPECT_EQ(to_json(plain), to_json(sampled));
}

TEST(GpuMetrics, stand_in_the_json_and_in_the_csv_where_they_were_asked_for) {
  const Result result = run_text(mix + "gpu_metrics: 1 ms\n");
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["resolved"]["gpu_metrics"], "1 ms");
  const auto& metrics = json["system"]["gpu"]["metrics"];
  EXPECT_EQ(metrics["interval_us"], 1000);
  EXPECT_EQ(metrics["samples"], 500);
  for (const char* name : {"sm_active", "issue_slot", "tensor_active", "occupancy", "dram_bandwidth"})
    EXPECT_EQ(metrics[name]["cdf"].size(), 101U) << name;
  EXPECT_EQ(metrics["sm_active"]["cdf"][100][0], 1.0);
  EXPECT_EQ(metrics["sm_active"]["cdf"][100][1], 1.0);
  EXPECT_TRUE(json["processes"][0]["gpu"]["metrics"]["sm_active"].contains("p95"));
  EXPECT_NE(csv_header().find(",gpu_sm_active,"), std::string::npos);
  EXPECT_NE(csv_header().find(",gpu_sm_active_p5,"), std::string::npos);
  const auto plain = nlohmann::json::parse(to_json(run_text(mix)));
  EXPECT_FALSE(plain["system"]["gpu"].contains("metrics"));
  EXPECT_FALSE(plain["processes"][0]["gpu"].contains("metrics"));
}

TEST(GpuMetrics, of_windows_that_cannot_be_are_refused) {
  EXPECT_NE(load_text(around(plain_process, "gpu_metrics: 100 ns\n")).errors, "");
  EXPECT_NE(load_text(around(plain_process, "gpu_metrics: 100\n")).errors, "");
  EXPECT_NE(load_text(around(plain_process, "gpu_metrics: 5 s\n")).errors.find("longer than the run"),
            std::string::npos);
  EXPECT_EQ(load_text(around(plain_process, "gpu_metrics: 4 s\n")).errors, "");
}

// Counts what counters are told.
class Counters final : public sim::TraceSink {
 public:
  sim::TrackId track(std::string_view, sim::TrackId) override { return next_; }
  sim::TrackId counter(std::string_view name, std::string_view, sim::TrackId) override {
    names_.emplace_back(name);
    return static_cast<sim::TrackId>(names_.size());
  }
  void begin(sim::TrackId, sim::Time, std::string_view) override {}
  void end(sim::TrackId, sim::Time) override {}
  void slice(sim::TrackId, sim::Time, sim::Duration, std::string_view) override {}
  void count(sim::TrackId counter, sim::Time at, double value) override {
    if (names_.at(static_cast<std::size_t>(counter) - 1) != "GPU: SM active") return;
    times.push_back(at);
    values.push_back(value);
  }
  std::vector<sim::Time> times;
  std::vector<double> values;

 private:
  std::vector<std::string> names_;
  sim::TrackId next_ = sim::TrackId::none;
};

TEST(GpuMetrics, are_counters_of_the_timeline_window_by_window) {
  Counters counters;
  RunControl control;
  control.trace = &counters;
  const Result result = run(scenario_of(mix + "gpu_metrics: 100 us\n"), control).value();
  ASSERT_EQ(counters.times.size(), 6000U);  // with the warm-up
  double sum = 0;
  for (std::size_t i = 0; i < counters.times.size(); ++i) {
    EXPECT_EQ(counters.times[i], sim::Time::zero() + sim::microseconds(100) * static_cast<std::int64_t>(i));
    if (i >= 1000) sum += counters.values[i];
  }
  EXPECT_NEAR(sum / 5000, 100 * result.system.gpu.array.sm_active.value(), 1e-6);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
