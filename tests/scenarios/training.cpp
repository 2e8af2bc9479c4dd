// Steps of training as a process's work: what may be asked, what comes out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

std::string training_on(const std::string& board, const std::string& process) {
  return "device: " + board + "\nprocesses: [{model: resnet18, " + process +
         "}]\nrun: {duration: 3 s, warmup: 1 s}\n";
}
const std::string step = "precision: fp16, batch: 8, training: true";

std::string refused(const std::string& process) {
  input::Problems problems;
  EXPECT_FALSE(parse_scenario({training_on("jetson-orin-nano", process), "gate.yaml", {}},
                              shipped_catalogue(), {}, problems));
  return problems.text();
}

TEST(Training, runs_on_every_board_with_each_framework_and_slower_than_inference) {
  for (const std::string& board : gpu_devices()) {
    for (const std::string runtime : {"eager", "libtorch", "cuda-graph"}) {
      const auto rate = [&](const std::string& training) {
        return run_text(training_on(board, "precision: fp16, batch: 8, runtime: " + runtime + training))
            .system.throughput.value();
      };
      // On Hopper inference has the kernels that PyTorch launches, three for a batch norm; a step of training
      // has not.
      const bool launched = board.starts_with("nvidia-h") && runtime == "eager";
      EXPECT_LT(rate(", training: true"), (launched ? 0.9 : 0.7) * rate("")) << board << " " << runtime;
    }
  }
}

TEST(Training, is_eager_unless_told_otherwise) {
  const Scenario scenario = scenario_of(training_on("jetson-orin-nano", step));
  EXPECT_EQ(scenario.processes[0].host.runtime, Runtime::eager);
  EXPECT_EQ(scenario.processes[0].host.sync, Sync::automatic);
}

TEST(Training, is_part_of_the_question_and_of_the_answer) {
  const Scenario scenario = scenario_of(training_on("jetson-orin-nano", step));
  const Scenario again = scenario_of(to_json(scenario));
  EXPECT_TRUE(again.processes[0].work.training);
  EXPECT_EQ(to_json(again), to_json(scenario));
  EXPECT_NE(scenario_hash(scenario), scenario_hash(scenario_of(training_on(
                                         "jetson-orin-nano", "precision: fp16, batch: 8, runtime: eager"))));
  const Result result = run_text(training_on("jetson-orin-nano", step));
  EXPECT_TRUE(result.processes[0].training);
  EXPECT_THAT(to_json(result), HasSubstr("\"training\":true"));
  EXPECT_EQ(result.processes[0].grades.kernels, "datasheet");
}

TEST(Training, told_to_be_off_is_inference) {
  EXPECT_EQ(to_json(scenario_of(training_on("jetson-orin-nano", "precision: fp16, training: false"))),
            to_json(scenario_of(training_on("jetson-orin-nano", "precision: fp16"))));
}

TEST(Training, is_refused_where_nothing_trains) {
  EXPECT_THAT(
      refused("precision: fp16, training: true, runtime: tensorrt"),
      HasSubstr("gate.yaml:2: processes.0.training: runtime tensorrt does not train (eager, libtorch or "
                "cuda-graph)"));
  EXPECT_THAT(refused("precision: int8, training: true"),
              HasSubstr("int8 does not train (fp32, tf32 or fp16)"));
  EXPECT_THAT(refused("precision: fp32, training: true, placement: cpu"),
              HasSubstr("a process with placement: cpu does not train (gpu or cuda-only)"));
  EXPECT_THAT(refused("precision: fp16, training: true, placement: dla0"),
              HasSubstr("a process with placement: dla0 does not train (gpu or cuda-only)"));
  EXPECT_THAT(refused("precision: fp16, training: yes"), HasSubstr("expected true or false"));
}

TEST(Training, of_equal_kernels_is_refused) {
  input::Problems problems;
  EXPECT_FALSE(
      parse_scenario({"device: jetson-nano\nprocesses: [{model: {kernels: 2, duration: 5 us, blocks: 1, "
                      "threads: 32}, runtime: eager, training: true}]\n",
                      "gate.yaml",
                      {}},
                     shipped_catalogue(), {}, problems));
  EXPECT_THAT(problems.text(), HasSubstr("a model of equal kernels has no key 'training'"));
}

TEST(Training, of_a_batch_that_is_too_large_does_not_fit) {
  const auto of = [](int batch) {
    return preview(scenario_of(
                       "device: jetson-orin-nano\nprocesses: [{model: resnet50, precision: fp32, batch: " +
                       std::to_string(batch) + ", training: true}]\n"))
        .processes[0];
  };
  EXPECT_EQ(of(32).status, "ok");
  EXPECT_EQ(of(128).status, "out_of_memory");
  EXPECT_GT(of(32).memory.arena.value(), 1.9 * of(16).memory.arena.value());
}

// On a Jetson Nano PyTorch's kernels in fp16 are slower than those in fp32: so is training with them.
TEST(Training, in_fp16_is_slow_where_the_framework_has_no_fast_kernels_for_it) {
  const auto rate = [](const std::string& precision) {
    return run_text(
               "device: jetson-nano\nprocesses: [{model: resnet34, batch: 4, training: true, precision: " +
               precision + "}]\nrun: {duration: 20 s, warmup: 5 s}\n")
        .system.throughput.value();
  };
  EXPECT_LT(rate("fp16"), 0.8 * rate("fp32"));
}

TEST(Training, on_cuda_cores_alone_is_slower) {
  const auto rate = [](const std::string& placement) {
    return run_text(training_on("jetson-agx-orin-64gb",
                                "precision: fp16, batch: 64, training: true, placement: " + placement))
        .system.throughput.value();
  };
  EXPECT_LT(rate("cuda-only"), rate("gpu"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
