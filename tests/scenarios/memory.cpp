// Memory as users meet it: published statements on it, and what a run says of who does not fit.
//
// GPU memory is read as `memory.gpu_mb` of a process and `system.memory.gpu_share`, in the terms of
// Chakraborty et al. (ISPASS 2025; claims C07 to C53 of the references): what the driver allocates for the
// GPU.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

Result held(const std::string& device, const std::string& processes) {
  return preview(scenario_of("device: " + device + "\nprocesses: [" + processes + "]\n"));
}
std::string net(const std::string& model, const std::string& precision, int batch = 1, int count = 1) {
  return fmt::format("{{model: {}, precision: {}, batch: {}, count: {}}}", model, precision, batch, count);
}
double gpu_mb(const std::string& device, const std::string& model, const std::string& precision,
              int batch = 1) {
  return held(device, net(model, precision, batch)).processes.front().memory.gpu.value();
}
double gpu_share(const std::string& model, const std::string& precision, int batch, int count) {
  return held("jetson-orin-nano", net(model, precision, batch, count)).system.memory.gpu_share.value();
}
std::ptrdiff_t fitting(const Result& result) {
  return std::ranges::count_if(result.processes, [](const auto& process) { return process.status == "ok"; });
}

const std::string orin = "jetson-orin-nano", nano = "jetson-nano";

TEST(GpuMemory, of_fp32_over_int8_is_as_published) {  // C07
  const auto ratio = [](const char* model) {
    return gpu_mb(orin, model, "fp32") / gpu_mb(orin, model, "int8");
  };
  EXPECT_NEAR(ratio("resnet50"), 2, 0.15 * 2);
  EXPECT_NEAR(ratio("fcn_resnet50"), 2, 0.15 * 2);
  EXPECT_NEAR(ratio("yolov8n"), 1.25, 0.15 * 1.25);
}

TEST(GpuMemory, rises_from_int8_to_fp32) {  // C43
  for (const char* model : {"resnet50", "fcn_resnet50", "mobilenet_v2"}) {
    EXPECT_LT(gpu_mb(orin, model, "int8"), gpu_mb(orin, model, "fp16")) << model;
    EXPECT_LT(gpu_mb(orin, model, "fp16"), gpu_mb(orin, model, "tf32")) << model;
    EXPECT_LE(gpu_mb(orin, model, "tf32"), gpu_mb(orin, model, "fp32")) << model;
  }
}

TEST(GpuMemory, of_int8_is_that_of_fp32_on_a_board_without_it) {  // C45, C47
  for (const char* model : {"resnet50", "fcn_resnet50", "mobilenet_v2"}) {
    EXPECT_LT(gpu_mb(nano, model, "fp16"), gpu_mb(nano, model, "int8")) << model;
    EXPECT_EQ(gpu_mb(nano, model, "int8"), gpu_mb(nano, model, "fp32")) << model;
    EXPECT_EQ(gpu_mb(nano, model, "tf32"), gpu_mb(nano, model, "fp32")) << model;
  }
}

TEST(GpuMemory, of_resnet50_stays_below_three_percent) {  // C21
  for (const int batch : {1, 2, 4, 8, 16}) EXPECT_LT(gpu_share("resnet50", "fp16", batch, 1), 0.03) << batch;
}

TEST(GpuMemory, of_yolov8n_is_below_a_tenth_for_one_process_and_above_a_third_for_sixteen) {  // C22
  EXPECT_LT(gpu_share("yolov8n", "int8", 8, 1), 0.10);
  // No batch is given for the sixteen. At 5 they hold more than 35 %, at 8 they do not fit.
  EXPECT_EQ(fitting(held(orin, net("yolov8n", "int8", 5, 16))), 16);
  EXPECT_GT(gpu_share("yolov8n", "int8", 5, 16), 0.35);
  EXPECT_LT(fitting(held(orin, net("yolov8n", "int8", 8, 16))), 16);
}

// C12, not reproduced: it tells of about half the memory of the other precisions. Here it is less, but by a
// tenth: the context and the fp32 inputs and outputs stay as they are, and are most of so small a network.
TEST(GpuMemory, of_yolov8n_in_fp16_on_a_nano_is_less_than_in_fp32_though_not_half_as_published) {
  const double half = gpu_mb(nano, "yolov8n", "fp16"), full = gpu_mb(nano, "yolov8n", "fp32");
  EXPECT_LT(half, full);
  EXPECT_NEAR(half / full, 0.91, 0.02);
}

TEST(GpuMemory, is_processes_times_engine_and_two_batches) {  // C24
  for (const int batch : {1, 4, 16}) {
    const Result one = held(orin, net("resnet50", "fp16", batch)),
                 four = held(orin, net("resnet50", "fp16", batch, 4));
    EXPECT_NEAR(four.system.memory.gpu_share.value(), 4 * one.system.memory.gpu_share.value(), 1e-12);
    const double bound = 4e-6 * (3 * 224 * 224 + 1000);
    EXPECT_NEAR(one.processes[0].memory.io.value(), 2 * batch * bound, 4 * 0.0656);
  }
  const ProcessMemory alone = held(orin, net("resnet50", "fp16")).processes[0].memory;
  EXPECT_GT(*alone.engine, *alone.arena + *alone.io);
}

TEST(GpuMemory, grows_with_batch_and_processes) {  // C53
  for (const char* model : {"resnet50", "fcn_resnet50", "mobilenet_v2"}) {
    for (const char* precision : {"int8", "fp16", "fp32"}) {
      const auto of = [&](int batch) { return gpu_mb(orin, model, precision, batch); };
      // In proportion: what a batch adds is the same anywhere, but for whole pages.
      EXPECT_NEAR(of(16) - of(8), 2 * (of(8) - of(4)), 1) << model << precision;
      EXPECT_GT(gpu_share(model, precision, 1, 8), 7.9 * gpu_share(model, precision, 1, 1)) << model;
    }
  }
}

TEST(AJetsonNano, takes_four_processes_of_resnet50_and_fewer_of_fcn) {  // C23
  EXPECT_EQ(fitting(held(nano, net("resnet50", "fp16", 1, 4))), 4);
  EXPECT_EQ(fitting(held(nano, net("resnet50", "fp16", 1, 5))), 0);
  EXPECT_EQ(fitting(held(nano, net("fcn_resnet50", "fp16", 1, 3))), 3);
  EXPECT_EQ(fitting(held(nano, net("fcn_resnet50", "fp16", 1, 4))), 0);
}

TEST(WhoFits, runs_as_if_the_others_had_not_been_asked_for) {
  const std::string small = net("resnet50", "fp16", 2), run = "\nrun: {duration: 300 ms, warmup: 100 ms}\n";
  const std::string large = net("fcn_resnet50", "fp32", 256);
  const Result both = run_text("device: " + orin + "\nprocesses: [" + large + ", " + small + "]" + run);
  const Result alone = run_text("device: " + orin + "\nprocesses: [" + small + "]" + run);
  EXPECT_EQ(both.status, "out_of_memory");
  EXPECT_EQ(both.processes[0].status, "out_of_memory");
  EXPECT_EQ(both.processes[1].status, "ok");
  EXPECT_EQ(both.processes[1].throughput.mean, alone.processes[0].throughput.mean);
  EXPECT_EQ(both.system.throughput, alone.system.throughput);
  EXPECT_EQ(both.system.memory.used_mb, alone.system.memory.used_mb);
}

TEST(WhoFits, is_nobody_when_all_are_too_large) {
  const Result result =
      run_text("device: " + orin + "\nprocesses: [" + net("fcn_resnet50", "fp32", 1024) + "]\n");
  EXPECT_EQ(fitting(result), 0);
  EXPECT_EQ(result.simulated_s, 0);
  EXPECT_FALSE(result.system.gpu.busy.has_value());
  EXPECT_NE(result.processes[0].problem.find("activations"), std::string::npos)
      << result.processes[0].problem;
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
