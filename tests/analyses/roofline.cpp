// Rooflines of the shipped boards, and networks on them.
#include "analyses/roofline/roofline.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {

using namespace scenarios;
using namespace scenarios::testing;
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

RooflineAnswer of(const RooflineQuestion& question) {
  input::Problems problems;
  auto answer = roofline(question, problems);
  if (!answer) throw std::runtime_error(problems.text());
  return *answer;
}
RooflineQuestion about(const std::string& device, std::vector<std::string> networks = {}) {
  RooflineQuestion question;
  question.device = device;
  question.networks = std::move(networks);
  return question;
}
std::string refused(const RooflineQuestion& question) {
  input::Problems problems;
  EXPECT_FALSE(roofline(question, problems));
  return problems.text();
}

TEST(Rooflines, are_there_in_every_mode_of_every_board_and_precision) {
  for (const std::string& device : gpu_devices()) {
    input::Problems problems;
    const auto modes = profiles::shipped_profile(device, problems)->spec->power_modes.size();
    for (const char* precision : {"fp32", "tf32", "fp16", "int8"}) {
      RooflineQuestion question = about(device);
      question.precision = precision;
      const RooflineAnswer answer = of(question);
      EXPECT_EQ(answer.modes.size(), std::max<std::size_t>(modes, 1)) << device;
      for (const ModeRoofline& mode : answer.modes) {
        EXPECT_GT(mode.roofs.flop_per_s, 1e10) << device << mode.mode;
        EXPECT_GT(mode.roofs.bytes_per_s, 1e9) << device << mode.mode;
        EXPECT_GT(mode.sms, 0);
        EXPECT_GT(mode.cores, 0);
      }
    }
  }
}

// 170 sparse int8 TOPS of the AGX Orin's GPU are 85 dense, half of it in fp16; 41 in its mode 30W.
TEST(Rooflines, have_the_published_peaks) {
  RooflineQuestion question = about("jetson-agx-orin-64gb");
  question.modes = {"MAXN", "MODE_30W"};
  RooflineAnswer answer = of(question);
  EXPECT_NEAR(answer.modes[0].roofs.flop_per_s, 42.6e12, 0.1e12);
  EXPECT_NEAR(answer.modes[0].roofs.bytes_per_s, 0.88 * 204.8e9, 1e9);
  question.precision = "int8";
  answer = of(question);
  EXPECT_NEAR(answer.modes[1].roofs.flop_per_s, 41e12 / 2, 0.5e12);
  EXPECT_EQ(answer.modes[1].mode, "30W");
}

TEST(Rooflines, of_a_precision_without_units_are_those_of_fp32) {
  RooflineQuestion question = about("jetson-nano");
  question.precision = "int8";
  const RooflineAnswer int8 = of(question);
  question.precision = "fp32";
  EXPECT_EQ(int8.computed, "fp32");
  EXPECT_FALSE(int8.tensor_cores);
  EXPECT_EQ(int8.modes[0].roofs.flop_per_s, of(question).modes[0].roofs.flop_per_s);
}

TEST(Rooflines, take_clocks_over_those_of_the_mode) {
  RooflineQuestion question = about("jetson-agx-orin-64gb");
  question.modes = {"MAXN"};
  const power::Roofline full = of(question).modes[0].roofs;
  question.set = {"clocks.gpu=650.25 MHz"};
  EXPECT_NEAR(of(question).modes[0].roofs.flop_per_s, full.flop_per_s / 2, 1);
  question.set = {"clocks.emc=2133 MHz"};
  EXPECT_NEAR(of(question).modes[0].roofs.bytes_per_s / full.bytes_per_s, 2133.0 / 3199, 1e-9);
  question.set = {"processes.0.placement=cuda-only"};
  EXPECT_LT(of(question).modes[0].roofs.flop_per_s, full.flop_per_s);
}

TEST(Rooflines, tell_each_mode_once) {
  RooflineQuestion question = about("jetson-orin-nano");
  question.modes = {"7W", "MODE_7W", "15W"};
  EXPECT_EQ(of(question).modes.size(), 2U);
}

// But where Winograd's algorithm multiplies less than is counted.
TEST(Rooflines, have_no_network_above_them) {
  for (const std::string& device : gpu_devices()) {
    input::Problems problems;
    const gpu::KernelCosts costs = profiles::shipped_profile(device, problems)->spec->gpu.kernels;
    const double winograd = std::max(costs.winograd_gain, costs.winograd_gain_of.fp32);
    for (const char* precision : {"fp32", "fp16", "int8"}) {
      for (const bool training : {false, true}) {
        if (training && precision == std::string("int8")) continue;
        RooflineQuestion question = about(device, {"resnet50", "mobilenet_v2", "bert_tiny", "vgg16"});
        question.precision = precision;
        question.training = training;
        question.batch = training ? 4 : 2;
        for (const ModeRoofline& mode : of(question).modes) {
          for (const PlacedNetwork& network : mode.networks) {
            if (!network.problem.empty()) continue;
            const std::string name =
                fmt::format("{} {} {} {} training={}", device, mode.mode, precision, network.model, training);
            const double intensity = network.intensity();
            EXPECT_LT(network.flop_per_s(), winograd * power::attainable_flop_per_s(mode.roofs, intensity))
                << name;
            EXPECT_LT(*network.flop_per_j(), winograd * *power::attainable_flop_per_j(mode.roofs, intensity))
                << name;
          }
        }
      }
    }
  }
}

TEST(Rooflines, of_energy_are_there_in_every_mode_too) {
  for (const std::string& device : gpu_devices()) {
    const RooflineAnswer answer = of(about(device));
    EXPECT_TRUE(answer.power_known);
    for (const ModeRoofline& mode : answer.modes) {
      const power::Roofline::Energy& energy = mode.roofs.energy.value();
      EXPECT_GT(energy.idle_w, 0) << device;
      EXPECT_GE(energy.busy_w, 0) << device;
      EXPECT_GT(energy.sm_operation_j, 0) << device;
      EXPECT_GT(energy.sm_byte_j, 0) << device;
      EXPECT_GT(energy.byte_j, 0) << device;
    }
  }
}

TEST(Rooflines, of_a_profile_without_power_are_of_time_alone) {
  const std::string whole = profiles::device_text("jetson-nano").value();
  const auto path = std::filesystem::path(::testing::TempDir()) / "jostle_roofline_without_power.yaml";
  std::ofstream(path) << whole.substr(0, whole.find("\npower:") + 1);
  const RooflineAnswer answer = of(about(path.string(), {"resnet50"}));
  std::filesystem::remove(path);
  EXPECT_FALSE(answer.power_known);
  for (const ModeRoofline& mode : answer.modes) {
    EXPECT_FALSE(mode.roofs.energy.has_value());
    EXPECT_FALSE(mode.networks[0].joules || mode.networks[0].flop_per_j());
    EXPECT_GT(mode.networks[0].flop_per_s(), 0);
  }
}

TEST(NetworksOnARoofline, are_as_fast_as_a_run_that_the_gpu_binds) {
  RooflineQuestion question = about("jetson-orin-nano", {"resnet50"});
  question.modes = {"15W"};
  question.batch = 16;
  const PlacedNetwork network = of(question).modes[0].networks[0];
  const double images_per_s = run_text(
                                  "device: jetson-orin-nano\nprocesses: [{model: resnet50, precision: fp16, "
                                  "batch: 16}]\n")
                                  .system.throughput.value();
  EXPECT_NEAR(16 / network.seconds / images_per_s, 1, 0.01);
  EXPECT_NEAR(network.flop, 16 * 8.18e9, 16 * 0.01e9);
}

TEST(NetworksOnARoofline, do_three_times_the_operations_in_training) {
  RooflineQuestion question = about("jetson-orin-nano", {"resnet50"});
  question.batch = 8;
  const PlacedNetwork inference = of(question).modes[0].networks[0];
  question.training = true;
  const RooflineAnswer answer = of(question);
  EXPECT_EQ(answer.runtime, "eager");
  EXPECT_NEAR(answer.modes[0].networks[0].flop / inference.flop, 3, 0.05);
  EXPECT_LT(answer.modes[0].networks[0].intensity(), inference.intensity());
}

TEST(NetworksOnARoofline, that_do_not_fit_into_memory_say_so) {
  RooflineQuestion question = about("jetson-nano", {"fcn_resnet50", "alexnet"});
  question.batch = 512;
  question.modes = {"MAXN"};
  const ModeRoofline mode = of(question).modes[0];
  EXPECT_EQ(mode.networks[0].problem, "does not fit into memory");
  EXPECT_FALSE(mode.networks[0].joules);
}

TEST(ARooflineQuestion, is_answered_with_what_is_wrong) {
  EXPECT_THAT(refused(about("jetson-nan")), HasSubstr("did you mean 'jetson-nano'?"));
  EXPECT_EQ(refused(about("raspberry-pi-3b")), "raspberry-pi-3b has no GPU that can run networks\n");
  EXPECT_EQ(refused(about("jetson-nano", {"resnet5"})),
            "model: unknown model 'resnet5' (did you mean 'resnet50'?)\n");
  RooflineQuestion question = about("jetson-nano");
  question.modes = {"FAST"};
  EXPECT_THAT(refused(question), HasSubstr("power_mode: jetson-nano has no power mode 'FAST'"));
  question = about("jetson-nano");
  question.set = {"clocks.gpu=9 GHz"};
  EXPECT_THAT(refused(question), HasSubstr("clocks.gpu: 9 GHz is outside the range of jetson-nano"));
  question = about("jetson-nano", {"resnet50"});
  question.precision = "fp32";
  question.set = {"processes.0.placement=cpu", "processes.0.runtime=cpu"};
  EXPECT_THAT(refused(question), HasSubstr("must be on the GPU for a roofline"));
  question = about("jetson-nano");
  question.training = true;
  question.precision = "int8";
  EXPECT_THAT(refused(question), HasSubstr("int8 does not train"));
  question = about("jetson-nano");
  question.precision = "bf8";
  EXPECT_THAT(refused(question), HasSubstr("precision: 'bf8' is not a precision"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
