// What is held against the board: power modes, clocks, cores and runtimes of the shipped profiles.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

Loaded load_on(const std::string& device, const std::string& rest, const std::string& process = {}) {
  input::Problems problems;
  const std::string text = "device: " + device + "\n" + rest +
                           "\nprocesses:\n  - {model: resnet50, precision: fp16" + process + "}\n";
  auto scenario = parse_scenario({text, "gate.yaml", {}}, shipped_catalogue(), {}, problems);
  return {std::move(scenario), problems.text()};
}

TEST(PowerMode, is_found_by_the_ways_people_write_it) {
  EXPECT_EQ(load_on("jetson-orin-nano", "power_mode: MODE_7W").scenario->power_mode, "7W");
  EXPECT_EQ(load_on("jetson-nano", "power_mode: MAXN (10W)").scenario->power_mode, "MAXN");
}

TEST(PowerMode, is_found_on_every_board_under_nvpmodels_name) {
  EXPECT_EQ(load_on("jetson-xavier-nx", "power_mode: MODE_15W_2CORE").scenario->power_mode, "15W_2CORE");
  EXPECT_EQ(load_on("jetson-agx-orin-64gb", "power_mode: MODE_30W").scenario->power_mode, "30W");
  EXPECT_EQ(load_on("jetson-orin-nano-super", "power_mode: MAXN_SUPER").scenario->power_mode, "MAXN_SUPER");
}

TEST(ABoardWithoutAGpu, runs_nothing_on_one) {
  EXPECT_EQ(load_on("raspberry-pi-3b", "clocks: {gpu: 400 MHz}").errors,
            "gate.yaml:2: clocks.gpu: raspberry-pi-3b has no GPU that computes\n"
            "gate.yaml:4: processes.0: raspberry-pi-3b has no GPU that computes (placement: cpu)\n");
  EXPECT_EQ(load_on("raspberry-pi-3b", "", ", placement: cpu").errors, "");
}

TEST(PowerMode, is_the_profiles_own_unless_given) {
  EXPECT_EQ(load_on("jetson-orin-nano", "").scenario->power_mode, "15W");
}

TEST(PowerMode, that_the_board_has_not_is_refused) {
  EXPECT_EQ(load_on("jetson-tx2", "power_mode: MAXP_CORE_ARMS").errors,
            "gate.yaml:2: power_mode: jetson-tx2 has no power mode 'MAXP_CORE_ARMS' (did you mean "
            "'MAXP_CORE_ARM'?)\n");
  EXPECT_EQ(
      load_on("jetson-orin-nano", "power_mode: 25W").errors,
      "gate.yaml:2: power_mode: jetson-orin-nano has no power mode '25W' (jetson-orin-nano-super has it)\n");
}

TEST(Clocks, may_take_any_value_in_the_range_of_the_domain) {
  EXPECT_EQ(
      load_on("jetson-orin-nano", "clocks: {cpu: 1000 MHz, gpu: 333 MHz, emc: 2133 MHz, cores: 6}").errors,
      "");
  EXPECT_EQ(
      load_on("jetson-orin-nano", "clocks: {gpu: 625 MHz}").errors,
      "gate.yaml:2: clocks.gpu: 625 MHz is outside the range of jetson-orin-nano (306 MHz to 624.75 MHz)\n");
  EXPECT_EQ(load_on("jetson-orin-nano", "clocks: {cpu: 100 MHz}").errors,
            "gate.yaml:2: clocks.cpu: 100 MHz is outside the range of jetson-orin-nano (115.2 MHz to 1.5104 "
            "GHz)\n");
  EXPECT_EQ(load_on("jetson-orin-nano", "clocks: {cores: 7}").errors,
            "gate.yaml:2: clocks.cores: 7 cores, jetson-orin-nano has 6\n");
}

TEST(Weights, are_in_a_format_that_the_runtime_reads_and_has_kernels_for) {
  const auto errors_on = [](const std::string& device, const std::string& runtime,
                            const std::string& format) {
    input::Problems problems;
    const std::string text = "device: " + device +
                             "\nprocesses:\n  - {model: qwen3_4b, precision: " + format +
                             ", runtime: " + runtime + ", generate: {prompt: 64, tokens: 8}}\n";
    (void)parse_scenario({text, "gate.yaml", {}}, shipped_catalogue(), {}, problems);
    return problems.text();
  };
  const std::string refused = "gate.yaml:3: processes.0.precision: ";
  const std::string orin = "jetson-agx-orin-64gb";
  EXPECT_EQ(errors_on("jetson-agx-thor", "vllm", "nvfp4"), "");
  EXPECT_EQ(errors_on("nvidia-rtx-5060-ti", "vllm", "nvfp4"), "");
  EXPECT_EQ(errors_on(orin, "vllm", "nvfp4"), refused +
                                                  "vllm has no kernels for nvfp4 on jetson-agx-orin-64gb: "
                                                  "GPUs of compute capability 10.0 and more have them "
                                                  "(it reads here: fp16, awq, int8, fp8, mxfp4, gptq)\n");
  EXPECT_EQ(
      errors_on(orin, "llama.cpp", "awq"),
      refused + "llama.cpp does not read weights in awq (it reads GGUF: fp16, q4_k_m, q8_0, q4_0, mxfp4)\n");
  EXPECT_EQ(errors_on(orin, "tensorrt-llm", "w4a8"),
            refused +
                "tensorrt-llm has no kernels for w4a8 on jetson-agx-orin-64gb: cards of compute capability "
                "8.0 and more have "
                "them (it reads here: fp16, awq, int8, gptq)\n");
  EXPECT_EQ(errors_on("nvidia-a10", "tensorrt-llm", "w4a8"), "");
  EXPECT_NE(errors_on("nvidia-t4", "tensorrt-llm", "w4a8"), "");
  EXPECT_NE(errors_on(orin, "tensorrt-llm", "fp8"), "");
  EXPECT_EQ(errors_on("jetson-agx-thor", "tensorrt-llm", "fp8"), "");
  EXPECT_EQ(errors_on("nvidia-v100", "vllm", "gptq"), "");
  for (const char* const format : {"awq", "fp8", "mxfp4"})
    EXPECT_NE(errors_on("nvidia-v100", "vllm", format), "");
  EXPECT_EQ(errors_on(orin, "mlc", "int4"), "");
  EXPECT_NE(errors_on(orin, "mlc", "q4_0"), "");
  EXPECT_EQ(errors_on(orin, "eager", "fp16"), "");
  EXPECT_EQ(errors_on(orin, "eager", "awq"),
            refused + "eager does not read weights in awq (it reads here: fp16)\n");
}

TEST(ShortFloats, of_networks_need_an_engine_on_a_GPU_that_has_them) {
  const auto errors_on = [](const std::string& device, const std::string& process) {
    input::Problems problems;
    const std::string text =
        "device: " + device + "\nprocesses:\n  - {model: vit_base, precision: " + process + "}\n";
    (void)parse_scenario({text, "gate.yaml", {}}, shipped_catalogue(), {}, problems);
    return problems.text();
  };
  const std::string refused = "gate.yaml:3: processes.0.precision: ";
  EXPECT_EQ(errors_on("jetson-agx-thor", "nvfp4"), "");
  EXPECT_EQ(errors_on("nvidia-l4", "fp8, runtime: onnxruntime-tensorrt"), "");
  EXPECT_EQ(errors_on("nvidia-l4", "nvfp4"), refused +
                                                 "nvfp4 needs a GPU whose tensor cores have such numbers: "
                                                 "Blackwell and later ones (int8 or fp16)\n");
  EXPECT_EQ(errors_on("jetson-orin-nano", "fp8"), refused +
                                                      "fp8 needs a GPU whose tensor cores have such "
                                                      "numbers: Ada, Hopper and later ones (int8 or fp16)\n");
  EXPECT_NE(errors_on("jetson-agx-thor", "fp8, placement: cuda-only"), "");
  EXPECT_EQ(errors_on("jetson-agx-thor", "fp8, runtime: eager"),
            refused + "networks run in fp8 in engines of TensorRT (tensorrt, or onnxruntime-tensorrt)\n");
}

TEST(PowerCap, is_kept_by_cards_too) {
  EXPECT_EQ(load_on("nvidia-h100", "power_cap: {budget: 400 W}").errors, "");
  EXPECT_EQ(load_on("nvidia-l4", "power_cap: {budget: 40 W}").errors, "");
  EXPECT_EQ(load_on("raspberry-pi-5", "power_cap: {budget: 4 W}", ", placement: cpu").errors, "");
}

TEST(PowerLimit, is_that_of_a_card_and_may_only_be_lowered_to_what_the_card_accepts) {
  EXPECT_EQ(load_on("nvidia-h100", "power_limit: 500 W").errors, "");
  EXPECT_EQ(load_on("nvidia-h100", "power_limit: 800 W").errors,
            "gate.yaml:2: power_limit: 800 W is outside the range of nvidia-h100 (200 W to 700 W)\n");
  EXPECT_EQ(load_on("nvidia-h100", "power_limit: 200 W").errors, "");
  EXPECT_EQ(load_on("nvidia-h100", "power_limit: 1 mW").errors,
            "gate.yaml:2: power_limit: 1 mW is outside the range of nvidia-h100 (200 W to 700 W)\n");
  EXPECT_EQ(load_on("jetson-orin-nano", "power_limit: 10 W").errors,
            "gate.yaml:2: power_limit: jetson-orin-nano has no power limit of its own (use power_cap)\n");
}

TEST(Cores, that_are_not_online_are_refused) {
  EXPECT_EQ(load_on("jetson-orin-nano", "host_cores: 6").errors, "");
  EXPECT_EQ(load_on("jetson-orin-nano", "power_mode: 7W\nhost_cores: 5").errors,
            "gate.yaml:3: host_cores: 5 cores, but only 4 are online\n");
  EXPECT_EQ(load_on("jetson-tx2", "power_mode: MAXP_CORE_DENVER\ncpus: [0, 1]").errors,
            "gate.yaml:3: cpus: core 1 is not online (one of 0, 4)\n");
  EXPECT_EQ(load_on("jetson-orin-nano", "host_cores: 3", ", cpus: [3]").errors,
            "gate.yaml:4: processes.0.cpus: core 3 is not among those the processes are confined to (one of "
            "0, 1, 2)\n");
}

TEST(Device, may_be_a_profile_of_ones_own) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "jostle_own_device.yaml";
  const std::string text = *profiles::device_text("jetson-nano");
  std::ofstream(path) << text;
  const Loaded loaded = load_on(path.string(), "");
  ASSERT_EQ(loaded.errors, "");
  EXPECT_EQ(loaded.scenario->device_path, path.string());
  EXPECT_EQ(loaded.scenario->power_mode, "MAXN");
  input::Problems problems;
  EXPECT_EQ(device_profile(*loaded.scenario, problems)->hash,
            profiles::shipped_profile("jetson-nano", problems)->hash);
}

TEST(Device, that_is_a_wrong_profile_is_answered_with_the_line_of_the_profile) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "jostle_wrong_device.yaml";
  std::ofstream(path) << "name: x\nname: y\n";
  EXPECT_EQ(load_on(path.string(), "").errors,
            path.string() + ":2: name: duplicate key in this mapping, first in line 1 (keep one of them)\n");
  EXPECT_EQ(load_on("./none.yaml", "").errors, "./none.yaml: no such file\n");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
