// Networks from files in evidence and profiles, and layers that were timed one by one.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "analyses/support/support.hpp"
#include "calibration/calibrate/calibrate.hpp"
#include "calibration/calibrate/layer_times.hpp"
#include "calibration/calibrate/next_log.hpp"
#include "calibration/evidence/comparison.hpp"
#include "models/board/spec.hpp"
#include "models/dnn/builders/described.hpp"
#include "models/dnn/fusion.hpp"
#include "profiles/onnx/content_name.hpp"
#include "scenarios/language/network.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"
#include "tests/profiles/onnx_support.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* board = "jetson-orin-nano-super";
constexpr const char* header =
    "run,device,power_mode,pinned,model,precision,batch,processes,metric,value,unit,of,onnx\n";

TEST(LayerTimes, of_an_engine_are_told_by_the_nodes_in_their_names) {
  const std::vector<LayerTime> measured{{"Reformatting CopyNode for Input Tensor 0 to /a/Conv + /a/Relu", 1},
                                        {"/a/Conv + /a/Relu", 3},
                                        {"/b/Conv || /c/Conv", 6},
                                        {"{ForeignNode[/d/Mul.../e/Add]}", 2}};
  const std::vector<ComputedLayer> computed{
      {"/a/Conv", 2}, {"/b/Conv", 1}, {"/c/Conv", 2}, {"/d/Mul", 1}, {"/e/Add", 1}};
  EXPECT_THAT(layer_factors(measured, computed),
              ElementsAre(DoubleNear(2, 1e-9), DoubleNear(2, 1e-9), DoubleNear(2, 1e-9), DoubleNear(1, 1e-9),
                          DoubleNear(1, 1e-9)));
}

TEST(LayerTimes, without_names_are_aligned_in_order) {
  const std::vector<LayerTime> measured{{"gemm", 1}, {"gemm", 10}, {"fused", 6}, {"relu", 0.5}, {"gemm", 20}};
  const std::vector<ComputedLayer> computed{{"a", 1}, {"b", 10}, {"c", 2}, {"d", 4}, {"e", 0.5}, {"f", 20}};
  EXPECT_THAT(layer_factors(measured, computed), testing::Each(DoubleNear(1, 1e-9)));
}

TEST(LayerTimes, lose_no_time) {
  const std::vector<LayerTime> measured{{"/a + /b", 4}, {"unknown", 1}, {"/c", 5}};
  const std::vector<ComputedLayer> computed{{"/a", 1}, {"/b", 1}, {"/c", 3}};
  const auto factors = layer_factors(measured, computed);
  double sum = 0;
  for (std::size_t i = 0; i < computed.size(); ++i) sum += factors[i] * computed[i].ms;
  EXPECT_NEAR(sum, 10, 1e-9);
}

// A network in a file, on a board whose kernels take other times, each by a factor of its own.
class OwnNetwork : public ::testing::Test {
 protected:
  OwnNetwork()
      : folder_(std::filesystem::temp_directory_path() /
                fmt::format("jostle-own-network-{}", ::testing::UnitTest::GetInstance()->random_seed())) {
    const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ += test->name();
    std::filesystem::create_directories(folder_);
    put("mine.onnx", dnn::described_network("resnet18", 224));
    input::Problems problems;
    base_ = *profiles::base_profile(board, problems);
    profiles::NetworkFiles files;
    content_ = files.content_of(path("mine.onnx"), problems);
    truth_ = base_.profile;
    const std::size_t layers =
        dnn::fuse(files.read(path("mine.onnx"), problems)->network, dnn::Lowering::optimised).size();
    dnn::Factor factor{.chip = dnn::Chip::of(truth_.spec->gpu),
                       .model = content_,
                       .family = content_,
                       .value = 1.2,
                       .basis = "made up"};
    factor.batch = 1;
    factor.gpu_hz = truth_.spec->gpu.max_clock_hz;
    for (std::size_t i = 0; i < layers; ++i)
      factor.layers.push_back(0.6 + 0.1 * static_cast<double>(i * 7 % 11));
    truth_.factors.insert(truth_.factors.begin(), factor);
  }
  ~OwnNetwork() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void put(const std::string& name, const dnn::Network& network) const {
    std::ofstream(path(name), std::ios::binary) << profiles::onnx_of(network).bytes();
  }
  [[nodiscard]] Evidence evidence(const std::string& rows) const {
    const auto table = input::CsvTable::parse(header + rows, path("ev.csv"));
    profiles::NetworkFiles files({}, {folder_.string()});
    return evidence_of({&table, 1}, files);
  }
  // A run of the truth, and what it measures.
  [[nodiscard]] std::vector<double> figures(const RunConfiguration& run,
                                            const profiles::Profile& profile) const {
    return simulated(profile, {run}).front();
  }
  [[nodiscard]] std::string row(const std::string& batch, const std::string& rest) const {
    return fmt::format("r{0},{1},MAXN_SUPER,1,mine.onnx,fp16,{0},,{2},{3}\n", batch, board, rest, content_);
  }

  std::filesystem::path folder_;
  profiles::BaseProfile base_;
  profiles::Profile truth_;
  std::string content_;
};

TEST_F(OwnNetwork, is_found_by_its_content_when_it_is_renamed) {
  std::filesystem::rename(path("mine.onnx"), path("another name.onnx"));
  const auto found = evidence(row("1", "throughput,100,images/s,")).configurations;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().network(), content_);
  EXPECT_THAT(found.front().model, HasSubstr("another name.onnx"));
  put("another name.onnx", dnn::described_network("resnet34", 224));
  try {
    static_cast<void>(evidence(row("1", "throughput,100,images/s,")));
    FAIL() << "another network is not this one";
  } catch (const input::CsvError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--onnx FILE"));
  }
}

TEST_F(OwnNetwork, rows_of_a_run_share_what_one_of_them_says) {
  const Evidence found =
      evidence(row("1", "throughput,100,images/s,") + "r1,,,,,,,,power,9,W,,\nidle,,,,,,,,power,4,W,,\n");
  ASSERT_EQ(found.configurations.size(), 1U);
  EXPECT_EQ(found.configurations.front().reference_values.size(), 2U);
  EXPECT_THAT(found.notes, ElementsAre(HasSubstr("run idle: no network")));
  EXPECT_THAT(found.used, ElementsAre(2U));
}

TEST_F(OwnNetwork, throughput_alone_gives_one_factor_that_holds_in_other_precisions) {
  auto runs = evidence(row("1", "throughput,1,images/s,")).configurations;
  runs.front().reference_values.front().value = figures(runs.front(), truth_).front();
  const Calibration found = calibrate(base_, runs, PriorsFrom::profile);
  EXPECT_NEAR(figures(runs.front(), found.profile).front(), runs.front().reference_values.front().value,
              0.02 * runs.front().reference_values.front().value);
  const scenarios::Model& model = runs.front().scenario->processes.front().work.model;
  for (const dnn::Precision precision : {dnn::Precision::fp16, dnn::Precision::int8})
    EXPECT_EQ(analyses::support(found.profile, model, precision, scenarios::Runtime::tensorrt, 1).grade,
              gpu::Grade::fitted);
}

TEST_F(OwnNetwork, layers_that_were_timed_are_measured_and_scale_to_another_batch) {
  auto asked =
      evidence(row("1", "throughput,1,images/s,") + row("8", "throughput,1,images/s,")).configurations;
  ASSERT_EQ(asked.size(), 2U);
  // The times of the board's kernels, under the names of their layers.
  const scenarios::ProcessEntry& entry = asked.front().scenario->processes.front();
  input::Problems problems;
  const dnn::Network network = *scenarios::network_of(entry);
  const auto layers = dnn::fuse(network, dnn::Lowering::optimised);
  const dnn::Factor& factor = truth_.factors.front();
  std::string rows = row("1", fmt::format("throughput,{},images/s,", figures(asked[0], truth_).front()));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    // By the base profile, one layer at a time: what all others are is left out.
    profiles::Profile only = base_.profile;
    dnn::Factor one = factor;
    one.value = 1;
    std::ranges::fill(one.layers, 0.001);
    one.layers[i] = 1.2 * factor.layers[i];
    only.factors.insert(only.factors.begin(), one);
    RunConfiguration run = asked.front();
    run.reference_values = {{"", "gpu_time", 1, 0}};
    rows += row("1", fmt::format("layer_time,{},ms,{} + relu", figures(run, only).front(), layers[i].name));
  }
  const auto runs = evidence(rows).configurations;
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs.front().layer_times.size(), layers.size());
  const Calibration found = calibrate(base_, runs, PriorsFrom::profile);
  const std::string text = profile_text(found, "mine", "ev.csv");
  EXPECT_THAT(text, HasSubstr("layers: ["));
  EXPECT_THAT(text, HasSubstr("mine.onnx"));
  const auto profile = profiles::parse_profile(text, "mine.yaml", problems);
  ASSERT_TRUE(profile.has_value()) << problems.text();
  for (const RunConfiguration& run : asked) {
    const double is = figures(run, truth_).front();
    EXPECT_NEAR(figures(run, *profile).front(), is, 0.05 * is) << run.text();
  }
  const analyses::Support here =
      analyses::support(*profile, entry.work.model, dnn::Precision::fp16, scenarios::Runtime::tensorrt, 1);
  EXPECT_EQ(here.grade, gpu::Grade::measured);
  EXPECT_THAT(here.measured_batches, ElementsAre(1));
  EXPECT_EQ(
      analyses::support(*profile, entry.work.model, dnn::Precision::fp16, scenarios::Runtime::tensorrt, 8)
          .grade,
      gpu::Grade::fitted);
  EXPECT_EQ(
      analyses::support(*profile, entry.work.model, dnn::Precision::int8, scenarios::Runtime::tensorrt, 1)
          .grade,
      gpu::Grade::fitted);
}

TEST_F(OwnNetwork, the_next_log_is_one_that_is_not_there_and_narrows) {
  auto runs = evidence(row("1", "throughput,1,images/s,")).configurations;
  runs.front().reference_values.front().value = figures(runs.front(), truth_).front();
  const Calibration found = calibrate(base_, runs, PriorsFrom::profile);
  const auto logs = next_logs(base_, runs, PriorsFrom::profile, found, {});
  ASSERT_FALSE(logs.empty());
  for (const NextLog& log : logs) {
    EXPECT_LE(log.after, 0.9 * log.before) << log.log << ", " << log.narrows;
    EXPECT_GT(log.after, 0);
  }
  const auto tells = [&](const std::string& log, const std::string& narrows) {
    return std::ranges::any_of(
        logs, [&](const NextLog& next) { return next.log == log && next.narrows == narrows; });
  };
  EXPECT_TRUE(tells("a run of mine.onnx with 4 processes", "throughput of 4 processes"));
  EXPECT_TRUE(tells("tegrastats beside a run of mine.onnx", "power"));
  EXPECT_FALSE(tells("tegrastats beside a run of mine.onnx", "throughput of one process"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
