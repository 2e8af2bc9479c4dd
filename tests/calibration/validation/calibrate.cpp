#include "calibration/calibrate/calibrate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "calibration/calibrate/held_out.hpp"
#include "calibration/evidence/comparison.hpp"
#include "calibration/validate/validate.hpp"
#include "input/csv.hpp"
#include "models/board/spec.hpp"
#include "tests/sanitized.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using namespace scenarios;

using input::CsvTable;

constexpr const char* header =
    "run,device,power_mode,pinned,model,precision,batch,runtime,sync,processes,metric,value,unit,source\n";

profiles::BaseProfile nano() {
  input::Problems problems;
  auto base = profiles::base_profile("jetson-orin-nano-super", problems);
  EXPECT_TRUE(base.has_value()) << problems.text();
  return *base;
}

std::vector<RunConfiguration> settings(const std::string& rows) {
  return run_configurations_of(input::CsvTable::parse(header + rows, "mine.csv"));
}

// What a board would measure whose figures are those of `truth`.
std::vector<RunConfiguration> measured_of(const profiles::Profile& truth,
                                          std::vector<RunConfiguration> asked) {
  const auto figures = simulated(truth, asked);
  for (std::size_t i = 0; i < asked.size(); ++i)
    for (std::size_t j = 0; j < asked[i].reference_values.size(); ++j)
      asked[i].reference_values[j].value = figures[i][j];
  return asked;
}

std::vector<RunConfiguration> runs_of_one_board() {
  std::string rows;
  int run = 0;
  for (const char* model : {"resnet50", "mobilenet_v2", "resnet18"}) {
    for (const char* mode : {"MAXN_SUPER", "15W"}) {
      for (const char* metric : {"throughput", "gpu_time", "enqueue", "power", "power_soc"})
        rows += "r" + std::to_string(run) + ",jetson-orin-nano-super," + mode + ",1," + model +
                ",fp16,1,,,," + metric + ",1,,made up\n";
      ++run;
    }
  }
  return settings(rows);
}

double number(const std::vector<FittedParameter>& figures, const std::string& path) {
  const auto found = std::ranges::find(figures, path, &FittedParameter::path);
  return found == figures.end() ? NAN : std::stod(found->value);
}

TEST(Calibration, recovers_the_figures_of_a_board_that_differs_from_its_kind) {
  if (sanitized) GTEST_SKIP() << "minutes under a sanitizer";
  const profiles::BaseProfile base = nano();
  input::Problems problems;
  const auto truth =
      profiles::profile_of(base.document, problems,
                           {"runtimes.tensorrt.per_launch={value: 9 us, grade: assumed, source: made up}",
                            "power.gpu.sm={value: 2.2 nF, grade: assumed, source: made up}",
                            "power.soc.base={value: 1.6 W, grade: assumed, source: made up}"});
  ASSERT_TRUE(truth.has_value()) << problems.text();
  const Calibration found = calibrate(base, measured_of(*truth, runs_of_one_board()), PriorsFrom::profile);
  EXPECT_NEAR(number(found.parameters, "runtimes.tensorrt.per_launch"), 9, 0.05 * 9);
  EXPECT_NEAR(number(found.parameters, "power.gpu.sm"), 2.2, 0.05 * 2.2);
  for (const char* path : {"runtimes.tensorrt.per_launch", "power.gpu.sm"}) {
    const auto figure = std::ranges::find(found.parameters, path, &FittedParameter::path);
    ASSERT_NE(figure, found.parameters.end()) << path;
    EXPECT_TRUE(figure->identified) << path;
  }
  // No run has two processes.
  EXPECT_EQ(std::ranges::find(found.parameters, "gpu.time_slicing.switch_at_expiry", &FittedParameter::path),
            found.parameters.end());
}

// Throughput tells the switch over the slice, not each: the slice stays the profile's.
TEST(Calibration, recovers_the_switch_from_runs_of_several_processes) {
  if (sanitized) GTEST_SKIP() << "minutes under a sanitizer";
  const profiles::BaseProfile base = nano();
  input::Problems problems;
  auto truth = profiles::profile_of(
      base.document, problems,
      {"gpu.time_slicing.switch_at_expiry={value: 280 us, grade: assumed, source: made up}"});
  ASSERT_TRUE(truth.has_value()) << problems.text();
  // A calibrated factor holds at every batch, as one of its own does; shipped ones are of single images.
  truth->factors.clear();
  std::string rows;
  for (const char* run : {"resnet50,fp16,1", "resnet50,fp16,8", "resnet18,fp16,8"})
    for (const char* processes : {"1", "2", "4"})
      rows += std::string("r,jetson-orin-nano-super,MAXN_SUPER,1,") + run + ",,," + processes +
              ",throughput,1,,made up\n";
  const Calibration found = calibrate(base, measured_of(*truth, settings(rows)), PriorsFrom::profile);
  EXPECT_NEAR(number(found.parameters, "gpu.time_slicing.switch_at_expiry"), 280, 0.05 * 280);
  EXPECT_EQ(std::ranges::find(found.parameters, "gpu.time_slicing.slice", &FittedParameter::path),
            found.parameters.end());
}

TEST(Calibration, recovers_what_a_process_holds_from_boards_with_one_and_more) {
  const profiles::BaseProfile base = nano();
  input::Problems problems;
  const auto truth = profiles::profile_of(
      base.document, problems,
      {"memory.contexts.tensorrt.process={value: 400 MB, grade: assumed, source: made up}"});
  ASSERT_TRUE(truth.has_value()) << problems.text();
  std::string rows;
  for (const char* processes : {"1", "2", "4", "8"})
    rows += std::string("p") + processes + ",jetson-orin-nano-super,MAXN_SUPER,1,resnet18,fp16,1,,," +
            processes + ",ram,1,MiB,\n";
  const Calibration found = calibrate(base, measured_of(*truth, settings(rows)), PriorsFrom::profile);
  EXPECT_NEAR(number(found.parameters, "memory.contexts.tensorrt.process"), 400, 0.05 * 400);
}

TEST(Calibration, writes_a_profile_that_predicts_what_the_fit_did) {
  const profiles::BaseProfile base = nano();
  const std::vector<RunConfiguration> runs = settings(
      "a,jetson-orin-nano-super,MAXN_SUPER,1,resnet50,fp16,1,,,,throughput,400,,\n"
      "a,jetson-orin-nano-super,MAXN_SUPER,1,resnet50,fp16,1,,,,power,16,,\n");
  const Calibration found = calibrate(base, runs, PriorsFrom::profile);
  input::Problems problems;
  const auto read = profiles::parse_profile(profile_text(found, "mine", "mine.csv"), "mine.yaml", problems);
  ASSERT_TRUE(read.has_value()) << problems.text();
  EXPECT_EQ(read->spec->name, "mine");
  const auto of_file = simulated(*read, runs), of_fit = simulated(found.profile, runs);
  for (std::size_t j = 0; j < of_fit.front().size(); ++j)
    EXPECT_NEAR(of_file.front()[j], of_fit.front()[j], 1e-3 * of_fit.front()[j]);
  EXPECT_NEAR(of_file.front()[0], 400, 20);
  EXPECT_NEAR(of_file.front()[1], 16, 0.8);
}

TEST(Calibration, leaves_each_mode_and_each_network_out_in_turn) {
  if (sanitized) GTEST_SKIP() << "minutes under a sanitizer";
  const profiles::BaseProfile base = nano();
  const std::vector<RunConfiguration> runs = measured_of(
      base.profile, settings("a,jetson-orin-nano-super,MAXN_SUPER,1,resnet50,fp16,1,,,,throughput,1,,\n"
                             "b,jetson-orin-nano-super,15W,1,resnet50,fp16,1,,,,throughput,1,,\n"
                             "c,jetson-orin-nano-super,MAXN_SUPER,1,vgg16,fp16,1,,,,throughput,1,,\n"));
  const auto groups =
      held_out(base, runs, PriorsFrom::profile, calibrate(base, runs, PriorsFrom::profile)).groups;
  ASSERT_EQ(groups.size(), 2U);
  for (const ComparisonGroup& group : groups) {
    ASSERT_EQ(group.comparisons.size(), 3U) << group.name;
    // Made by the profile itself, so a fit on the others still knows them.
    for (const Comparison& row : group.comparisons) EXPECT_LT(std::abs(row.error()), 0.05) << row.run;
  }
}

TEST(Calibration, refuses_runs_of_another_device_and_none) {
  const profiles::BaseProfile base = nano();
  EXPECT_THROW((void)calibrate(base, {}, PriorsFrom::profile), CalibrationError);
  EXPECT_THROW((void)calibrate(base, settings("a,jetson-nano,MAXN,1,resnet50,fp16,1,,,,throughput,30,,\n"),
                               PriorsFrom::profile),
               CalibrationError);
}

TEST(Calibration, tells_the_line_of_a_row_that_cannot_be) {
  for (const auto& [row, said] : std::vector<std::pair<std::string, std::string>>{
           {"a,jetson-nano,MAXN,1,resnet5,fp16,1,,,,throughput,30,,\n",
            "mine.csv:2: unknown network 'resnet5'"},
           {"a,jetson-nano,MAXN,1,resnet50,fp17,1,,,,throughput,30,,\n", "unknown precision 'fp17'"},
           {"a,jetson-nano,MAXN,1,resnet50,fp16,0,,,,throughput,30,,\n", "batch 0 is not positive"},
           {"a,jetson-nano,MAXN,2,resnet50,fp16,1,,,,throughput,30,,\n", "pinned is 0 or 1"},
           {"a,jetson-nano,MAXN,1,resnet50,fp16,1,,,,throughput,-30,,\n",
            "throughput -30 is not positive"}}) {
    try {
      (void)settings(row);
      ADD_FAILURE() << row;
    } catch (const input::CsvError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(said));
    }
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
