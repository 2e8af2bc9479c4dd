// Scenarios whose networks are ONNX files made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "models/dnn/builders/described.hpp"
#include "models/dnn/kernels_for.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"
#include "tests/profiles/onnx_support.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

// A folder of files that goes away with the test.
class OnnxScenario : public ::testing::Test {
 protected:
  OnnxScenario() { std::filesystem::create_directories(directory_); }
  ~OnnxScenario() override { std::filesystem::remove_all(directory_); }

  void put(const std::string& name, const std::string& bytes) {
    std::ofstream(directory_ / name, std::ios::binary) << bytes;
  }
  testing::Loaded load(const std::string& process) {
    return testing::load_text(testing::around(process), {}, directory_.string());
  }

 private:
  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() /
      ("jostle_onnx_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(OnnxScenario, AFileTakesAsLongAsTheSameNetworkBuiltIn) {
  const dnn::Network built = dnn::described_network("resnet18", 224);
  put("net.onnx", profiles::onnx_of(built).bytes());
  const auto loaded = load("model: net.onnx, precision: fp16, batch: 4");
  ASSERT_EQ(loaded.errors, "");
  input::Problems problems;
  const auto profile = device_profile(*loaded.scenario, problems);
  ASSERT_TRUE(profile.has_value()) << problems.text();
  const Assembly assembly = assemble(*loaded.scenario, *profile);
  const process::Spec& file = assembly.setup.processes.front();
  const gpu::KernelSequence expected = dnn::kernels_for({.model = {},
                                                         .precision = Precision::fp16,
                                                         .batch = 4,
                                                         .lowering = dnn::Lowering::optimised,
                                                         .network = &built},
                                                        {}, assembly.device.gpu);
  const double from_file = sim::to_seconds(file.kernels->total()),
               from_built = sim::to_seconds(expected.total());
  // The file has a Flatten besides: a view.
  EXPECT_NEAR(from_file, from_built, 0.02 * from_built);
  EXPECT_EQ(file.kernels->grade, gpu::Grade::datasheet);
  EXPECT_EQ(file.input_bytes, 4.0 * 4 * 3 * 224 * 224);
  EXPECT_EQ(file.output_bytes, 4.0 * 4 * 1000);
}

// The file of a network with one convolution that has a bias, of this name.
std::string folded_file(const std::string& bias = "b") {
  profiles::OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{64}, std::int64_t{32}, std::int64_t{32}});
  file.output(file.node("Conv", "conv", {"x", file.weight("w", {64, 64, 3, 3}), file.weight(bias, {64})},
                        {{"pads", std::vector<std::int64_t>(4, 1)}}));
  return file.bytes();
}

TEST_F(OnnxScenario, BatchNormsThatAFileHasFoldedRunByThemselvesIfAsked) {
  put("net.onnx", folded_file());
  const auto folded = load("model: net.onnx, precision: fp16, runtime: cuda-graph");
  const auto separate = load("model: net.onnx, precision: fp16, runtime: cuda-graph, batch_norm: separate");
  ASSERT_EQ(folded.errors + separate.errors, "");
  EXPECT_THAT(warnings(*folded.scenario), ::testing::Contains(HasSubstr("say batch_norm: separate")));
  EXPECT_THAT(warnings(*separate.scenario), ::testing::IsEmpty());
  EXPECT_THAT(to_json(*separate.scenario), HasSubstr(R"("batch_norm":"separate")"));
  const auto kernels = [](const testing::Loaded& loaded) {
    input::Problems problems;
    return assemble(*loaded.scenario, *device_profile(*loaded.scenario, problems))
        .setup.processes.front()
        .kernels->kernels.size();
  };
  EXPECT_GT(kernels(separate), kernels(folded));
  EXPECT_THAT(load("model: net.onnx, precision: fp16, batch_norm: separate").errors,
              HasSubstr("tensorrt folds batch norms itself"));
  EXPECT_THAT(load("model: resnet50, precision: fp16, batch_norm: separate").errors,
              HasSubstr("needs an .onnx file"));
}

TEST_F(OnnxScenario, BatchNormsThatTheExporterNamedRunByThemselvesInAFrameworkUnlessTold) {
  put("net.onnx", folded_file("onnx::Conv_12"));
  const auto norms = [&](const std::string& more) {
    const auto loaded = load("model: net.onnx, precision: fp16" + more);
    EXPECT_EQ(loaded.errors, "");
    const auto& file = std::get<OnnxModel>(loaded.scenario->processes.front().work.model).file;
    return profiles::layers_of(file->network, dnn::Op::batch_norm).size();
  };
  EXPECT_EQ(norms(", runtime: eager"), 1U);
  EXPECT_EQ(norms(", runtime: eager, batch_norm: folded"), 0U);
  EXPECT_EQ(norms(""), 0U);  // tensorrt
  const auto told = load("model: net.onnx, precision: fp16, runtime: eager, batch_norm: folded");
  EXPECT_THAT(to_json(*told.scenario), HasSubstr(R"("batch_norm":"folded")"));
}

// A product of 8-bit integers and the same in half precision.
TEST_F(OnnxScenario, AQuantisedLayerIsComputedInEightBitsInAnyPrecision) {
  const auto file = [](const std::string& type) {
    profiles::OnnxFile made;
    made.input("x", {std::int64_t{1}, std::int64_t{512}, std::int64_t{64}, std::int64_t{64}});
    made.output(made.node(type, "conv", {"x", made.weight("w", {512, 512, 3, 3})},
                          {{"pads", std::vector<std::int64_t>(4, 1)}}));
    return made.bytes();
  };
  put("half.onnx", file("Conv"));
  put("quantised.onnx", file("ConvInteger"));
  const auto us = [&](const std::string& process) {
    const auto loaded = load(process);
    EXPECT_EQ(loaded.errors, "");
    input::Problems problems;
    const Assembly assembly = assemble(*loaded.scenario, *device_profile(*loaded.scenario, problems));
    return sim::to_us(assembly.setup.processes.front().kernels->total());
  };
  const double half = us("model: half.onnx, precision: fp16");
  EXPECT_LT(us("model: quantised.onnx, precision: fp16"), 0.8 * half);
  EXPECT_NEAR(us("model: quantised.onnx, precision: fp16"), us("model: half.onnx, precision: int8"),
              0.1 * half);
}

TEST_F(OnnxScenario, TheHashFollowsTheContentsOfTheFile) {
  const std::string process = "model: net.onnx, precision: fp16";
  put("net.onnx", profiles::onnx_of(dnn::described_network("resnet18", 224)).bytes());
  const std::string before = scenario_hash(*load(process).scenario);
  EXPECT_EQ(scenario_hash(*load(process).scenario), before);
  put("net.onnx", profiles::onnx_of(dnn::described_network("resnet34", 224)).bytes());
  EXPECT_NE(scenario_hash(*load(process).scenario), before);
}

TEST_F(OnnxScenario, EntriesThatNameTheSameFileShareIt) {
  put("net.onnx", profiles::onnx_of(dnn::described_network("resnet18", 64)).bytes());
  const auto loaded = load("model: net.onnx, precision: fp16}\n  - {model: net.onnx, precision: int8");
  ASSERT_EQ(loaded.errors, "");
  const auto& processes = loaded.scenario->processes;
  EXPECT_EQ(std::get<OnnxModel>(processes[0].work.model).file,
            std::get<OnnxModel>(processes[1].work.model).file);
}

TEST_F(OnnxScenario, WhatIsApproximatedIsAWarning) {
  profiles::OnnxFile file;
  file.input("x", {std::int64_t{1}, std::int64_t{8}});
  file.output(file.node("com.acme.Twist", "twist", {"x"}));
  put("net.onnx", file.bytes());
  const auto loaded = load("model: net.onnx, precision: fp16");
  ASSERT_EQ(loaded.errors, "");
  EXPECT_THAT(warnings(*loaded.scenario),
              ::testing::Contains(HasSubstr("net.onnx: operator com.acme.Twist")));
}

TEST_F(OnnxScenario, AFileThatCannotBeReadIsNamed) {
  put("net.onnx", "this is no protobuf");
  EXPECT_THAT(load("model: net.onnx, precision: fp16").errors, HasSubstr("net.onnx: not an ONNX file"));
}

TEST_F(OnnxScenario, OpenTokensAreTheInputOfTheProcess) {
  put("net.onnx", profiles::onnx_transformer_layer(13, "tokens", 64, 2).bytes());
  EXPECT_THAT(load("model: net.onnx, precision: fp16").errors, HasSubstr("'tokens'"));
  EXPECT_EQ(load("model: net.onnx, precision: fp16, input: 48").errors, "");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
