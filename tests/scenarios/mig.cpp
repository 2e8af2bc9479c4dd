// Instances of a GPU (MIG): how they are read, and that they keep processes apart.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "models/board/spec.hpp"
#include "models/gpu/instances.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* camera = "{name: camera, model: yolov8s, precision: fp16, arrivals: {periodic: 30 /s}}";
constexpr const char* heavy = "{model: resnet50, precision: fp16, batch: 32, mig: 1, count: 2}";

// A scenario with pinned clocks, so that heat and limits of one instance do not reach the other.
std::string on(const std::string& device, const std::string& instances, const std::string& processes) {
  return fmt::format(
      "device: {}\nsharing: {{mig: [{}]}}\njetson_clocks: true\nrun: {{duration: 2 s, warmup: 500 ms}}\n"
      "processes: [{}]\n",
      device, instances, processes);
}

std::string refusal(const std::string& text) {
  try {
    (void)scenario_of(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

const ProcessResult& named(const Result& result, const std::string& name) {
  return *std::ranges::find(result.processes, name, &ProcessResult::name);
}

TEST(InstancesOfTheGpu, have_the_names_of_the_profile_or_the_part_before_the_dot) {
  EXPECT_THAT(scenario_of(on("nvidia-h100", "3g, 1g.20gb, 1g", camera)).mig,
              ElementsAre("3g.40gb", "1g.20gb", "1g.10gb"));
}

TEST(InstancesOfTheGpu, that_cannot_be_are_refused_with_what_the_board_has) {
  EXPECT_THAT(refusal(on("nvidia-h100", "5g", camera)),
              AllOf(HasSubstr("no instance '5g'"), HasSubstr("1g.10gb (16 SMs, at most 7)"),
                    HasSubstr("7g.80gb (132 SMs, at most 1)")));
  EXPECT_THAT(refusal(on("nvidia-h100", "4g, 4g", camera)),
              HasSubstr("4g.40gb, 4g.40gb do not fit together"));
  EXPECT_THAT(refusal(on("nvidia-a30", "2g, 2g, 1g", camera)),
              AllOf(HasSubstr("2g.12gb, 2g.12gb, 1g.6gb do not fit together"),
                    HasSubstr("1g.6gb (14 SMs, at most 4)"), HasSubstr("4g.24gb (56 SMs, at most 1)")));
  EXPECT_THAT(refusal(on("jetson-agx-thor", "1g, 1g", camera)),
              AllOf(HasSubstr("do not fit together"), HasSubstr("2g.0gb (12 SMs, at most 1)")));
  EXPECT_THAT(refusal(on("jetson-orin-nano", "1g", camera)), HasSubstr("has no MIG"));
  EXPECT_THAT(refusal(fmt::format("device: nvidia-h100\nsharing: mig\nprocesses: [{}]\n", camera)),
              HasSubstr("sharing: {mig: [2g, 1g]}"));
  EXPECT_THAT(refusal(on("jetson-agx-thor", "3g", heavy)), HasSubstr("fewer instances"));
  EXPECT_THAT(refusal(fmt::format("device: nvidia-h100\nprocesses: [{}]\n", heavy)),
              HasSubstr("needs instances of the GPU"));
  EXPECT_THAT(refusal(on("jetson-agx-thor", "2g, 1g", camera) + "power_mode: 70W\n"),
              HasSubstr("the power of all SMs"));
}

TEST(InstancesOfTheGpu, fit_where_the_places_of_the_driver_do_not_meet) {
  input::Problems problems;
  const auto profile = profiles::shipped_profile("nvidia-a100-80gb", problems);
  const gpu::InstanceKinds& offered = profile->spec->instances;
  const auto fit = [&](std::initializer_list<const char*> names) {
    std::vector<const gpu::InstanceKind*> kinds;
    for (const char* name : names) kinds.push_back(gpu::find_instance(offered, name));
    return gpu::fit_together(kinds);
  };
  EXPECT_TRUE(fit({"3g", "3g"}));
  EXPECT_TRUE(fit({"1g", "1g", "1g", "1g", "1g", "1g", "1g"}));
  EXPECT_FALSE(fit({"1g", "1g", "1g", "1g", "1g", "1g", "1g", "1g"}));
  EXPECT_TRUE(fit({"1g", "2g", "4g"}));  // in another order than places have
  EXPECT_FALSE(fit({"3g", "3g", "1g"}));
  EXPECT_FALSE(fit({"7g", "1g"}));
}

class AnInstance : public ::testing::TestWithParam<const char*> {};

// A process in another instance shares neither turns nor SMs, L2 and bandwidth.
TEST_P(AnInstance, keeps_its_rate_and_latency_whatever_runs_in_another) {
  const std::string loop = "{name: own, model: resnet50, precision: fp16, runtime: cuda-graph}";
  const std::string device = GetParam();
  const std::string halves = device == "nvidia-a30" ? "2g, 2g" : "3g, 3g";
  for (const std::string& process : {std::string(camera), loop}) {
    const Result alone = run_text(on(device, halves, process));
    const Result beside = run_text(on(device, halves, process + ", " + heavy));
    const ProcessResult &before = alone.processes.front(), &after = beside.processes.front();
    EXPECT_NEAR(after.throughput.mean.value() / before.throughput.mean.value(), 1, 0.01) << process;
    EXPECT_NEAR(after.latency_ms.p50.value() / before.latency_ms.p50.value(), 1, 0.01) << process;
    EXPECT_GT(beside.system.power_w.mean.value(), 1.05 * alone.system.power_w.mean.value());
    EXPECT_GT(beside.system.gpu.busy.value(), alone.system.gpu.busy.value() + 0.2);
  }
}
INSTANTIATE_TEST_SUITE_P(Boards, AnInstance,
                         ::testing::Values("nvidia-a100-80gb", "nvidia-a30", "nvidia-h100", "nvidia-h200"));

TEST(InstancesOfTheGpu, of_thor_keep_a_camera_from_turns_but_share_the_memory) {
  const std::string chat =
      "{name: chat, model: qwen2.5_1.5b, precision: fp16, runtime: cuda-graph, bench: {tg: 64, depth: 512}}";
  const auto in_the_other = [](std::string process) {
    process.insert(process.size() - 1, ", mig: 1");
    return process;
  };
  const auto latency = [](const Result& result) { return named(result, "camera").latency_ms.p50.value(); };
  const Result alone = run_text(on("jetson-agx-thor", "1g, 2g", camera));
  const Result beside = run_text(on("jetson-agx-thor", "1g, 2g", camera + (", " + in_the_other(chat))));
  const Result in_turns = run_text(on("jetson-agx-thor", "3g", camera + (", " + chat)));
  EXPECT_NEAR(latency(beside) / latency(alone), 1, 0.01);
  EXPECT_EQ(beside.system.gpu.switches_per_s.value(), 0);
  EXPECT_GT(in_turns.system.gpu.switches_per_s.value(), 10);
  // Both stream their weights.
  const auto tokens = [](const Result& result) { return result.processes[0].throughput.mean.value(); };
  const Result one = run_text(on("jetson-agx-thor", "2g, 1g", chat));
  const Result two = run_text(on("jetson-agx-thor", "2g, 1g", chat + ", " + in_the_other(chat)));
  EXPECT_LT(tokens(two), 0.7 * tokens(one));
  EXPECT_GT(tokens(two), 0.4 * tokens(one));
}

TEST(InstancesOfTheGpu, take_turns_inside_as_a_gpu_of_their_size_does) {
  const std::string two = "{model: resnet50, precision: fp16, runtime: cuda-graph, count: 2, mig: 1}";
  const Result result = run_text(on("nvidia-h100", "3g, 3g", two));
  const Result one = run_text(
      on("nvidia-h100", "3g, 3g", "{model: resnet50, precision: fp16, runtime: cuda-graph, mig: 1}"));
  EXPECT_GT(result.system.gpu.switches_per_s.value(), 100);
  EXPECT_LT(result.processes[0].throughput.mean.value(), 0.55 * one.processes[0].throughput.mean.value());
  const Result under_mps = run_text("mps: true\n" + on("nvidia-h100", "3g, 3g", two));
  EXPECT_EQ(under_mps.system.gpu.switches_per_s.value(), 0);
  EXPECT_GT(under_mps.system.throughput.value(), result.system.throughput.value());
}

TEST(InstancesOfTheGpu, are_slower_in_the_measure_of_their_sms_and_bandwidth) {
  const auto rate = [](const std::string& instances, const std::string& model) {
    return run_text(on("nvidia-h100", instances,
                       fmt::format("{{model: {}, runtime: cuda-graph, sync: spin}}", model)) +
                    "figures: {gpu.power_limit.budget: 1000 W}\n")
        .processes[0]
        .throughput.mean.value();
  };
  // 1056 blocks of all warps, two waves of four on 132 SMs: 9 waves of eight on 16.
  const std::string spinning = "{kernels: 40, duration: 100 us, blocks: 1056, threads: 256, pipes: 100 %}";
  const std::string reading = "{kernels: 40, duration: 100 us, blocks: 1056, threads: 256, bytes: 268 MB}";
  EXPECT_NEAR(rate("7g", spinning) / rate("1g", spinning), 132.0 / 16, 0.1 * 132 / 16);
  EXPECT_NEAR(rate("7g", reading) / rate("1g", reading), 8, 0.2);
  const std::string computed = "resnet50, precision: fp16, batch: 32";
  EXPECT_GT(rate("7g", computed) / rate("1g", computed), 4);
  EXPECT_LT(rate("7g", computed) / rate("1g", computed), 9);
}

TEST(InstancesOfTheGpu, of_a_card_hold_only_what_fits_into_their_own_memory) {
  const std::string large =
      "{model: qwen2.5_7b, precision: fp16, runtime: vllm, generate: {prompt: 64, tokens: 16}}";
  const Result small = run_text(on("nvidia-h100", "1g, 3g", large));
  EXPECT_EQ(small.processes[0].status, "out_of_memory");
  EXPECT_THAT(small.processes[0].problem, HasSubstr("in instance 0 of the GPU (1g.10gb)"));
  std::string elsewhere = large;
  elsewhere.insert(elsewhere.size() - 1, ", mig: 1");
  EXPECT_EQ(run_text(on("nvidia-h100", "1g, 3g", elsewhere)).status, "ok");
  EXPECT_EQ(run_text(on("jetson-agx-thor", "2g, 1g", large)).status, "ok");  // it shares the board's
}

TEST(InstancesOfTheGpu, count_in_the_whole_by_their_share_of_the_sms) {
  const Result result = run_text(on("nvidia-a100-80gb", "7g", "{model: resnet50, precision: fp16}"));
  const double running = (*result.processes[0].time_share)[index_of(process::Share::gpu_running)];
  EXPECT_NEAR(result.system.gpu.busy.value(), running * 98 / 108, 1e-6);
}

TEST(InstancesOfTheGpu, come_back_from_the_scenario_that_results_repeat) {
  const Scenario scenario = scenario_of("mps: true\n" + on("nvidia-h100", "4g, 3g", heavy));
  const Scenario again = scenario_of(to_json(scenario));
  EXPECT_EQ(to_json(again), to_json(scenario));
  EXPECT_THAT(again.mig, ElementsAre("4g.40gb", "3g.40gb"));
  EXPECT_EQ(again.processes[0].gpu.mig, 1);
  EXPECT_EQ(again.sharing, gpu::Sharing::mps);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
