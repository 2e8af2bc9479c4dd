// Kernel tables and rates of one's own networks in a framework's runtime: from evidence to a profile.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "calibration/calibrate/board/board_calibration.hpp"
#include "calibration/calibrate/calibrate.hpp"
#include "calibration/calibrate/own_tables.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using ::testing::Contains;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr const char* board = "nvidia-h100";
constexpr const char* header =
    "run,model,precision,batch,metric,value,unit,of,runtime,observer,input,grid,block,registers,shared_"
    "bytes\n";

// `count` kernels of `us` each.
std::string kernels(const std::string& run, const std::string& model, int batch, int count, double us) {
  std::string rows;
  for (int i = 0; i < count; ++i)
    rows +=
        fmt::format("{},{},fp16,{},layer_time,{},us,gemm_{},eager,pytorch-profiler,,{}x1x1,128x1x1,90,4096\n",
                    run, model, batch, us, i, 100 * batch);
  return rows;
}

std::string rate(const std::string& model, const std::string& precision, int batch, double value,
                 const std::string& runtime = "cuda-graph") {
  return fmt::format("{0}-{1}-{2}-{4},{0},{1},{2},throughput,{3},images/s,,{4},,,,,,\n", model, precision,
                     batch, value, runtime);
}

class OwnKernels : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("jostle-own-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  // Writes what `jostle calibrate -o mine.yaml` does.
  BoardCalibration calibrated(const std::vector<std::string>& files) const {
    const std::string profile = (folder_ / "mine.yaml").string();
    const ProfileFiles written(profile);
    const BoardCalibration found =
        calibrate_board(profiles::shipped_base_profile(board), read_evidence_files(files),
                        {.evidence = files, .output = profile, .name = {}, .quick = true}, {});
    written.write(found);
    return found;
  }
  // The images/s of a process, or why there are none.
  std::pair<double, std::string> run(const std::string& process) const {
    input::Problems problems;
    const auto scenario = scenarios::parse_scenario(
        {"device: ./mine.yaml\nprocesses: [" + process + "]\nrun: {duration: 1 s}\n", "mix.yaml",
         folder_.string()},
        scenarios::shipped_catalogue(), {}, problems);
    const auto profile = scenario ? scenarios::device_profile(*scenario, problems) : std::nullopt;
    if (!profile) return {0, problems.text()};
    try {
      return {scenarios::run(*scenario, *profile, {})->processes.front().throughput.mean.value_or(0), ""};
    } catch (const scenarios::RunError& error) {
      return {0, error.what()};
    }
  }
  fs::path folder_;
};

TEST_F(OwnKernels, run_at_their_rates_at_every_batch_that_has_one) {
  const BoardCalibration found = calibrated(
      {write("ev4.csv", header + kernels("a", "vit_b_16", 4, 100, 8)),
       write("rates.csv", header + rate("vit_b_16", "fp16", 4, 4800) + rate("vit_b_16", "fp16", 16, 8900))});
  EXPECT_EQ(found.calibration.own.tables, 1U);
  EXPECT_EQ(found.calibration.own.rates, 2U);
  EXPECT_THAT(found.profile, HasSubstr("evidence: [\"mine.kernels/\", \"h100\"]"));
  EXPECT_NEAR(run("{model: vit_base, precision: fp16, batch: 4, runtime: cuda-graph}").first, 4800, 50);
  EXPECT_NEAR(run("{model: vit_b_16, precision: fp16, batch: 16, runtime: cuda-graph}").first, 8900, 100);
  // What ships is still there.
  EXPECT_EQ(run("{model: resnet50, precision: fp16, batch: 8, runtime: cuda-graph}").second, "");
}

TEST_F(OwnKernels, alone_describe_a_network_that_has_no_layers) {
  const BoardCalibration found = calibrated(
      {write("ev.csv", header + kernels("a", "my_net", 1, 50, 4) + kernels("b", "my_net", 4, 50, 8)),
       write("rates.csv", header + rate("my_net", "fp16", 4, 9000))});
  EXPECT_TRUE(found.calibration.parameters.empty() || found.calibration.converged);
  EXPECT_NEAR(run("{model: my_net, precision: fp16, batch: 4, runtime: cuda-graph}").first, 9000, 100);
  EXPECT_EQ(run("{model: my_net, precision: fp16, batch: 1, runtime: eager}").second, "");
  EXPECT_GT(run("{model: my_net, precision: fp16, batch: 8, runtime: cuda-graph}").first, 9000);
  EXPECT_THAT(run("{model: my_net, precision: tf32, batch: 4, runtime: cuda-graph}").second,
              HasSubstr("cannot run in tf32"));
  EXPECT_THAT(run("{model: my_net, precision: fp16, batch: 4}").second,
              HasSubstr("only in cuda-graph, eager and libtorch"));
  EXPECT_THAT(run("{model: my_nett, precision: fp16, batch: 4, runtime: eager}").second,
              HasSubstr("'my_net'"));
}

// The profile's own guess is twice too fast.
TEST_F(OwnKernels, are_not_needed_for_rates_to_set_the_level_of_a_network) {
  const BoardCalibration found = calibrated(
      {write("rates.csv", header + rate("swin_t", "fp16", 4, 2781.4) + rate("swin_t", "fp16", 16, 5489.7) +
                              rate("swin_t", "tf32", 4, 2347.7))});
  EXPECT_EQ(found.calibration.own.tables, 0U);
  EXPECT_TRUE(found.calibration.parameters.empty());
  EXPECT_NEAR(run("{model: swin_t, precision: fp16, batch: 4, runtime: cuda-graph}").first, 2781.4, 20);
  EXPECT_NEAR(run("{model: swin_t, precision: fp16, batch: 16, runtime: cuda-graph}").first, 5489.7, 40);
  EXPECT_NEAR(run("{model: swin_t, precision: tf32, batch: 4, runtime: cuda-graph}").first, 2347.7, 20);
  const double beyond = run("{model: swin_t, precision: tf32, batch: 8, runtime: cuda-graph}").first;
  EXPECT_GT(beyond, 2347.7);
  EXPECT_LT(beyond, 2 * 2347.7);
}

TEST_F(OwnKernels, at_one_batch_tell_those_at_others_kernel_by_kernel) {
  const auto per_batch = [&](int batch) {
    return batch /
           run(fmt::format("{{model: vit_b_16, precision: fp16, batch: {}, runtime: cuda-graph}}", batch))
               .first;
  };
  (void)calibrated({write("ev4.csv", header + kernels("a", "vit_b_16", 4, 100, 8))});
  EXPECT_GT(per_batch(16), 1.5 * per_batch(4));
  EXPECT_LT(per_batch(16), 4 * per_batch(4));
  EXPECT_LT(per_batch(1), per_batch(4));
  EXPECT_GT(per_batch(1), per_batch(4) / 4);
}

TEST_F(OwnKernels, of_a_graph_that_runs_others_are_stretched_to_it_and_this_is_said) {
  const BoardCalibration found =
      calibrated({write("ev4.csv", header + kernels("a", "bert_base", 4, 164, 4.2)),
                  write("rates.csv", header + rate("bert_base", "fp16", 4, 2700))});
  EXPECT_THAT(found.calibration.own.notes, Contains(HasSubstr("the graph runs other kernels")));
  EXPECT_NEAR(run("{model: bert_base, precision: fp16, batch: 4, runtime: cuda-graph}").first, 2700, 30);
}

TEST_F(OwnKernels, of_an_earlier_profile_stay_under_new_ones) {
  (void)calibrated({write("ev4.csv", header + kernels("a", "vit_b_16", 4, 100, 8)),
                    write("old.csv", header + rate("vit_b_16", "fp16", 4, 4000))});
  input::Problems problems;
  const auto mine = profiles::base_profile((folder_ / "mine.yaml").string(), problems);
  ASSERT_TRUE(mine) << problems.text();
  const std::vector<std::string> more{
      write("more.csv", header + rate("vit_b_16", "fp16", 4, 4800) + rate("vit_b_16", "fp16", 16, 8900))};
  const BoardCalibration better = calibrate_board(
      *mine, read_evidence_files(more),
      {.evidence = more, .output = (folder_ / "better.yaml").string(), .name = {}, .quick = true}, {});
  EXPECT_EQ(better.calibration.own.tables, 1U);
  EXPECT_EQ(better.calibration.own.rates, 2U);
  EXPECT_THAT(better.profile, HasSubstr("evidence: [\"better.kernels/\", \"h100\"]"));
  EXPECT_THAT(better.calibration.own.kernels_csv, HasSubstr("vit_base,fp16,4,99,"));
  EXPECT_THAT(better.calibration.own.solo_csv, testing::Not(HasSubstr("4000")));
}

TEST_F(OwnKernels, leave_no_parameter_at_its_bound_graded_fitted) {
  const BoardCalibration found = calibrated({write("rates.csv", header + rate("swin_t", "fp16", 4, 500))});
  bool bound = false;
  for (const FittedParameter& parameter : found.calibration.parameters) {
    if (!parameter.at_bound) continue;
    bound = true;
    EXPECT_STREQ(parameter.grade(), "assumed") << parameter.path;
  }
  EXPECT_TRUE(bound);
}

TEST_F(OwnKernels, are_not_blamed_for_a_rate_that_nothing_can_explain) {
  try {
    (void)calibrated({write("rates.csv", header + rate("swin_t", "fp16", 4, 20))});
    FAIL();
  } catch (const CalibrationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("times what was measured"));
    EXPECT_THAT(error.what(), HasSubstr("swin_t-fp16-4-cuda-graph"));
  }
}

TEST_F(OwnKernels, name_the_rows_of_each_file_that_have_no_effect) {
  const EvidenceFiles files = read_evidence_files(
      {write("a.csv", header + kernels("a", "vit_base", 4, 2, 8) +
                          "a,vit_base,fp16,4,kernel_time,8,us,gemm,eager,,,,,,\n"
                          "a,vit_base,fp16,4,launch_call,6,us,cudaLaunchKernel,eager,,,,,,\n")});
  EXPECT_EQ(files.files.at(0).used, 2U);
  EXPECT_THAT(files.files[0].unused, Contains(testing::Pair(HasSubstr("kernel_time"), 1U)));
  EXPECT_THAT(files.files[0].unused, Contains(testing::Pair(HasSubstr("launch_call"), 1U)));
}

TEST_F(OwnKernels, take_rates_in_the_form_of_measured_runs) {
  const std::string ev = write("ev4.csv", header + kernels("a", "vit_b_16", 4, 100, 8));
  const std::string columns = "run,sharing,process,processes,model,precision,batch,mode,images_per_s\n";
  const BoardCalibration found =
      calibrated({ev, write("solo.csv", columns + "n0,time-slicing,0,1,vit_b_16,fp16,4,graph,4800\n"
                                                  "n1,time-slicing,0,1,vit_b_16,fp16,16,graph,8900\n")});
  EXPECT_EQ(found.calibration.own.rates, 2U);
  EXPECT_NEAR(run("{model: vit_b_16, precision: fp16, batch: 16, runtime: cuda-graph}").first, 8900, 100);
  const std::string two = write("two.csv", columns + "n0,mps,0,2,vit_b_16,fp16,4,graph,4800\n");
  EXPECT_THAT(read_evidence_files({ev, two}).files.front().unused,
              Contains(testing::Pair(HasSubstr("share the GPU"), 1U)));
}

TEST_F(OwnKernels, of_one_configuration_are_given_once) {
  const std::string twice =
      write("ev.csv", header + kernels("a", "vit_base", 4, 2, 8) + kernels("b", "vit_base", 4, 2, 9));
  try {
    (void)read_evidence_files({twice});
    FAIL();
  } catch (const input::CsvError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a second table of the kernels"));
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
