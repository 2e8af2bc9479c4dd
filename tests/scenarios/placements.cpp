// Where a process runs: GPU, CUDA cores alone, a DLA, the cores of the host.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

Result run_with(const std::string& processes, const std::string& rest = "power_mode: MAXN",
                const std::string& device = "jetson-agx-orin-64gb") {
  return run_text("device: " + device + "\njetson_clocks: true\n" + rest + "\nprocesses: [" + processes +
                  "]\nrun: {duration: 2 s, warmup: 500 ms}\n");
}
double total(const Result& result) {
  return result.system.throughput.value();
}
double share(const ProcessResult& process, process::Share of) {
  return process.time_share.value()[index_of(of)];
}
std::string errors(const std::string& device, const std::string& process, const std::string& rest = {}) {
  try {
    (void)scenario_of("device: " + device + "\n" + rest + "\nprocesses: [{" + process + "}]\n");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

const std::string dla0 = "{model: resnet50, precision: int8, batch: 2, placement: dla0}";
const std::string dla1 = "{model: resnet50, precision: int8, batch: 2, placement: dla1}";

// With streams or clients the GPU has none of them then, also where its clock changes or its counters are
// read.
TEST(Placement, processes_on_the_cores_alone_run_beside_a_gpu_however_it_is_shared) {
  for (const std::string sharing : {"mps", "time-slicing"}) {
    for (const std::string more : {"clocks: {gpu: 918 MHz}", "gpu_metrics: 1 ms"}) {
      const Result result =
          run_text("device: jetson-orin-nano-super\nsharing: " + sharing + "\n" + more +
                   "\nprocesses: [{model: yolov4_tiny, precision: fp32, runtime: ncnn, threads: 1}]\n"
                   "run: {duration: 2 s, warmup: 100 ms}\n");
      EXPECT_GT(total(result), 0) << sharing << more;
      EXPECT_EQ(result.system.gpu.busy.value(), 0);
    }
  }
}

TEST(Placement, two_dlas_do_nearly_twice_the_work_of_one) {
  const double one = total(run_with(dla0)), two = total(run_with(dla0 + ", " + dla1));
  EXPECT_GT(two, 1.6 * one);  // they take turns on the GPU at borders and for what falls back to it
  EXPECT_LT(two, 2.0 * one);
}

TEST(Placement, processes_on_one_dla_wait_for_each_other) {
  const Result result = run_with(dla0 + ", " + dla0 + ", " + dla0);
  ASSERT_EQ(result.system.dla.size(), 2U);
  EXPECT_GT(result.system.dla[0].busy, 0.95);
  EXPECT_EQ(result.system.dla[1].busy, 0);
  EXPECT_EQ(result.system.dla[0].name, "dla0");
  EXPECT_EQ(result.system.dla[0].clock_mhz, 1600);
  double executed = 0;
  for (const ProcessResult& process : result.processes) {
    EXPECT_GT(share(process, process::Share::dla_wait), 0.3);
    executed += share(process, process::Share::dla_running);
  }
  EXPECT_NEAR(executed, *result.system.dla[0].busy, 0.01);
}

TEST(Placement, the_clock_of_the_dla_is_that_of_the_mode_or_the_scenarios) {
  EXPECT_EQ(run_with(dla0, "power_mode: 15W").system.dla[0].clock_mhz, 614.4);
  EXPECT_EQ(run_with(dla0, "clocks: {dla: 800 MHz}").system.dla[0].clock_mhz, 800);
  EXPECT_LT(total(run_with(dla0, "power_mode: MAXN\nclocks: {dla: 800 MHz}")), 0.8 * total(run_with(dla0)));
}

TEST(Placement, a_borders_cost_is_paid_at_each_cut) {
  // ResNet's input is reformatted one cut before its features, its classifier is one behind them.
  const profiles::Profile costly = changed_profile("jetson-agx-orin-64gb", {"dla.border=5 ms"});
  const std::string text =
      "device: jetson-agx-orin-64gb\npower_mode: MAXN\njetson_clocks: true\nprocesses: [" + dla0 +
      "]\nrun: {duration: 2 s}\n";
  const Result cheap = run_text(text), dear = run_on(costly, text);
  const double added = 2 / total(dear) - 2 / total(cheap);
  EXPECT_NEAR(added, 2 * 4.95e-3, 1e-4);
}

// yyshin-katech/embedded-ai-quantization-guide: tegrastats reads 15 to 16 % at 779 images/s.
TEST(Placement, a_network_on_a_dla_keeps_the_gpu_busy_at_its_borders) {
  const Result result = run_text(
      "device: jetson-agx-orin-64gb\npower_mode: MAXN\nprocesses: [{model: resnet50, precision: int8, "
      "runtime: tensorrt, placement: dla0}]\nrun: {duration: 2 s}\n");
  EXPECT_NEAR(*result.system.gpu.busy, 0.155, 0.01);
}

TEST(Placement, cuda_only_is_slower_where_tensor_cores_would_help_and_only_there) {
  const auto with = [](const std::string& precision, const std::string& placement) {
    return total(
        run_with("{model: resnet50, batch: 16, precision: " + precision + ", placement: " + placement + "}"));
  };
  EXPECT_LT(with("fp16", "cuda-only"), 0.5 * with("fp16", "gpu"));
  EXPECT_EQ(with("fp32", "cuda-only"), with("fp32", "gpu"));
  EXPECT_EQ(with("tf32", "cuda-only"), with("fp32", "gpu"));
}

TEST(Placement, a_process_on_the_cpu_leaves_the_gpu_alone) {
  const Result result = run_with("{model: resnet18, precision: fp32, placement: cpu, threads: 4}");
  EXPECT_EQ(result.system.gpu.busy, 0);
  EXPECT_NEAR(*result.system.cpu.busy_cores, 4, 0.1);
  EXPECT_NEAR(share(result.processes[0], process::Share::cpu_compute), 1, 0.02);
  EXPECT_EQ(result.processes[0].runtime, "cpu");
  EXPECT_FALSE(result.processes[0].ec_ms.mean);
}

TEST(Placement, more_threads_compute_faster_but_not_more_than_there_are_cores) {
  const auto with = [](int threads) {
    return total(
        run_with(fmt::format("{{model: resnet18, precision: fp32, placement: cpu, threads: {}}}", threads)));
  };
  EXPECT_NEAR(with(4) / with(1), 4, 0.2);
  EXPECT_NEAR(with(12) / with(1), 12, 1.2);
  EXPECT_LT(with(24), 1.02 * with(12));
}

TEST(Placement, a_neighbour_on_one_core_slows_a_team_on_all_of_them) {
  // A layer is done when its slowest thread is.
  const std::string team = "{model: resnet18, precision: fp32, placement: cpu, threads: 12}";
  const std::string neighbour = "{model: resnet18, precision: fp32, placement: cpu, cpus: [0], threads: 1}";
  const double alone = total(run_with(team));
  const double beside = run_with(team + ", " + neighbour).processes[0].throughput.mean.value();
  EXPECT_LT(beside, 0.9 * alone);
}

TEST(Placement, a_board_without_a_gpu_infers_on_its_cores) {
  const Result result =
      run_with("{model: mobilenet_v2, precision: int8, placement: cpu}", "", "raspberry-pi-3b");
  EXPECT_GT(total(result), 1);
  EXPECT_FALSE(result.system.gpu.busy);
  EXPECT_FALSE(result.system.gpu.clock_mhz);
}

TEST(Placement, requests_are_served_on_every_engine) {
  for (const std::string placement : {"gpu", "dla0", "cpu"}) {
    const Result result = run_with(
        "{model: resnet18, precision: fp16, arrivals: {periodic: 10 /s}, placement: " + placement + "}");
    EXPECT_NEAR(total(result), 10, 0.5) << placement;
    EXPECT_GT(share(result.processes[0], process::Share::idle), 0.3) << placement;
  }
}

TEST(Placement, that_the_board_cannot_offer_is_refused) {
  EXPECT_THAT(errors("jetson-orin-nano", "model: resnet50, precision: int8, placement: dla0"),
              HasSubstr("processes.0.placement: jetson-orin-nano has no dla0 (it has no DLA)"));
  EXPECT_THAT(errors("jetson-agx-orin-64gb", "model: resnet50, precision: fp32, placement: dla0"),
              HasSubstr("processes.0.precision: a DLA does not compute in fp32 (fp16 or int8)"));
  EXPECT_THAT(
      errors("jetson-agx-orin-64gb", "model: resnet50, precision: fp16, placement: dla0, runtime: eager"),
      HasSubstr("processes.0.runtime: runtime eager cannot use a DLA (tensorrt)"));
  EXPECT_THAT(errors("jetson-agx-orin-64gb",
                     "model: {kernels: 1, duration: 1 us, blocks: 1, threads: 32}, "
                     "placement: dla0"),
              HasSubstr("a synthetic model cannot run with placement: dla0"));
  EXPECT_THAT(errors("jetson-agx-orin-64gb", "model: resnet50, precision: tf32, placement: cpu"),
              HasSubstr("tf32 needs the GPU's tensor cores"));
  EXPECT_THAT(errors("nvidia-h200", "model: resnet50, precision: fp32, placement: cpu"),
              HasSubstr("nvidia-h200 has no costs for runtime cpu"));
  EXPECT_THAT(errors("jetson-orin-nano", "model: resnet50, precision: fp16", "clocks: {dla: 800 MHz}"),
              HasSubstr("clocks.dla: jetson-orin-nano has no DLA"));
  EXPECT_THAT(errors("jetson-agx-orin-64gb", "model: resnet50, precision: fp16", "clocks: {dla: 1.7 GHz}"),
              HasSubstr("clocks.dla: 1.7 GHz is outside the range of jetson-agx-orin-64gb"));
}

// NVIDIA/Deep-Learning-Accelerator-SW: ResNet-50, int8, batch 2 on each of two DLAs of an AGX Orin. The DLA's
// figures are fitted on these and two more networks, engines of one process.
TEST(DlaAccuracy, of_four_modes_is_within_five_percent) {
  const auto error = [](const std::string& mode, double published) {
    return total(run_with("{instances: [" + dla0 + ", " + dla1 + "]}", "power_mode: " + mode)) / published -
           1;
  };
  EXPECT_NEAR(error("MAXN", 2037), 0, 0.08);
  const double fifty = error("50W", 1948), thirty = error("30W", 1928), fifteen = error("15W", 1072);
  EXPECT_LT((std::abs(fifty) + std::abs(thirty) + std::abs(fifteen)) / 3, 0.05);
  RecordProperty("error_50W", fmt::format("{:.3f}", fifty));
  RecordProperty("error_30W", fmt::format("{:.3f}", thirty));
  RecordProperty("error_15W", fmt::format("{:.3f}", fifteen));
}

// mlcommons/inference_results_v2.0, Krai, Raspberry Pi 3B, tflite v2.7.1: ResNet-50 fp32 in 2122 ms.
TEST(CpuAccuracy, of_the_row_that_was_fitted_is_within_one_percent) {
  const Result result = run_text(
      "device: raspberry-pi-3b\nprocesses: [{model: resnet50, precision: fp32, placement: cpu}]\n"
      "run: {duration: 60 s}\n");
  EXPECT_NEAR(*result.processes[0].latency_ms.mean, 2122, 21);
  EXPECT_EQ(result.processes[0].grades.kernels, "fitted");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
