// The command from its arguments to its exit code and its two outputs.
#include "cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "cli/laboratory/laboratory.hpp"

namespace jostle::cli {
namespace JOSTLE_FILE {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

struct Outcome {
  int code = 0;
  std::string output, error;
};

Outcome jostle(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "jostle");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Outcome outcome;
  outcome.code = command_line(static_cast<int>(arguments.size()), arguments.data(), {}, laboratory());
  outcome.output = testing::internal::GetCapturedStdout();
  outcome.error = testing::internal::GetCapturedStderr();
  return outcome;
}

class CommandLine : public testing::Test {
 protected:
  CommandLine() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = std::filesystem::path(testing::TempDir()) / (std::string("jostle_cli_") + test->name());
    std::filesystem::create_directories(directory_);
  }
  ~CommandLine() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string file(const char* name, const char* text) const {
    const std::filesystem::path path = directory_ / name;
    std::ofstream(path) << text;
    return path.string();
  }
  [[nodiscard]] std::string good() const {
    return file("good.yaml",
                "device: nvidia-h200\n"
                "processes: [{model: resnet50, precision: fp16, batch: 4, runtime: cuda-graph, count: 2}]\n");
  }
  [[nodiscard]] std::string bad() const {
    return file("bad.yaml",
                "device: nvidia-h200\n"
                "processes: [{model: resnet50, precision: fp16, bacth: 4}]\n");
  }

  std::filesystem::path directory_;
};

TEST_F(CommandLine, help_and_version_are_results) {
  const Outcome help = jostle({"--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.output, HasSubstr("Exit status:"));
  EXPECT_THAT(help.error, IsEmpty());
  const Outcome version = jostle({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.output, StartsWith("jostle "));
}

TEST_F(CommandLine, wrong_usage_exits_2_with_the_nearest_spelling_and_prints_no_result) {
  const std::string file = good();
  const std::vector<std::pair<std::vector<const char*>, const char*>> cases{
      {{}, "A subcommand is required"},
      {{"rum", file.c_str()}, "unexpected 'rum' (did you mean 'run'?)"},
      {{"run"}, "FILE is required"},
      {{"run", file.c_str(), "--fromat", "json"}, "unknown option '--fromat' (did you mean '--format'?)"},
      {{"run", file.c_str(), "--format", "jsn"}, "--format: unknown 'jsn' (did you mean 'json'?)"},
      {{"run", file.c_str(), "--seed", "-1"}, "--seed: '-1' is not a whole number"},
      {{"run", file.c_str(), "--seed", "18446744073709551616"}, "is not a whole number"},
      {{"run", file.c_str(), file.c_str(), "--trace", "x"}, "--trace writes one timeline"},
      {{"list", "device"}, "unexpected 'device' (did you mean 'devices'?)"},
      {{"show", "device", "nvidia-h20"}, "did you mean 'nvidia-h200'"},
      {{"show", "device", "gb10"}, "did you mean 'nvidia-dgx-spark'?"},
      {{"show", "device", "jetson-t5000"}, "did you mean 'jetson-agx-thor'?"},
      {{"show", "device", "l4"}, "did you mean 'nvidia-l4'?"},
      {{"show", "device", "rtx5060ti"}, "did you mean 'nvidia-rtx-5060-ti'?"},
      {{"show", "model", "resnet5O"}, "unknown model 'resnet5O' (did you mean 'resnet50'?)"},
      {{"show", "model", "resnet50", "--format", "dott"}, "did you mean 'dot'?"},
      {{"show", "model", "resnet50", "--batch", "0"}, "--batch: 0 is not from 1 to 1000000"},
      {{"show", "model", "resnet50", "--input", "32769"}, "--input: 32769 is not from 1 to 32768"},
      {{"show", "model", "yolov8n", "--input", "100"}, "yolov8n takes multiples of 32, such as 96 or 128"},
      {{"show", "model", "alexnet", "--input", "32"}, "the input is too small for layer 'pool5'"},
      {{"show", "model", "yolov8x", "--input", "32768", "--batch", "1000000"}, "too large to count"}};
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = jostle(arguments);
    EXPECT_EQ(outcome.code, 2) << message;
    EXPECT_THAT(outcome.error, HasSubstr(message));
    EXPECT_THAT(outcome.output, IsEmpty());
  }
}

TEST_F(CommandLine, check_accepts_a_good_file_and_counts_its_processes) {
  const std::string file = good();
  const Outcome outcome = jostle({"check", file.c_str()});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, file + ": ok, 2 processes on nvidia-h200\n");
  EXPECT_THAT(outcome.error, IsEmpty());
}

TEST_F(CommandLine, one_wrong_file_and_nothing_is_printed_but_the_errors) {
  const std::string right = good(), wrong = bad();
  for (const char* subcommand : {"run", "check"}) {
    const Outcome outcome = jostle({subcommand, right.c_str(), wrong.c_str()});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.output, IsEmpty());
    EXPECT_THAT(outcome.error,
                HasSubstr("bad.yaml:2: processes.0.bacth: unknown key (did you mean 'batch'?)"));
  }
}

TEST_F(CommandLine, check_reads_studies_too_and_counts_their_points) {
  const std::string study =
      file("study.yaml",
           "scenario: {device: jetson-nano, processes: [{model: resnet50, precision: fp16}]}\n"
           "sweep: {processes.0.batch: [1, 2], processes.0.precision: [fp16, int8]}\n");
  const Outcome right = jostle({"check", study.c_str()});
  EXPECT_EQ(right.code, 0);
  EXPECT_EQ(right.output, study + ": ok, a study of 4 points\n");
  const std::string wrong =
      file("wrong.yaml",
           "scenario: {device: jetson-nano, processes: [{model: resnet50, precision: fp16}]}\n"
           "sweep: {processes.0.bacth: [1, 2]}\n");
  const Outcome both = jostle({"check", study.c_str(), wrong.c_str()});
  EXPECT_EQ(both.code, 2);
  EXPECT_THAT(both.output, IsEmpty());
  EXPECT_THAT(both.error, HasSubstr("wrong.yaml:2: sweep.processes.0.bacth: unknown key"));
  const Outcome set = jostle({"check", study.c_str(), "--set", "processes.0.count=2"});
  EXPECT_EQ(set.code, 2);
  EXPECT_THAT(set.error, HasSubstr("--set and --seed apply to scenarios only"));
}

TEST_F(CommandLine, check_finds_what_is_wrong_with_fleets_and_links) {
  const std::string fleet =
      file("fleet.yaml",
           "scenario: {device: jetson-nano, processes: [{model: resnet50, precision: fp16}]}\n"
           "fleet: {cameras: 4, rate: 15 /s, boards: [jetson-nanoo]}\n");
  EXPECT_EQ(jostle({"check", fleet.c_str()}).code, 2);
  const std::string offload =
      file("offload.yaml",
           "scenario: {device: jetson-nano, processes: [{model: resnet50, precision: fp16}]}\n"
           "offload:\n"
           "  cloud: {device: nvidia-a400, processes: [{model: resnet50, precision: fp16}]}\n"
           "  payload: 120 kB\n"
           "  link: {bandwidth: 5 Mbit/s, rtt: 1 ms}\n");
  const Outcome outcome = jostle({"check", offload.c_str()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("nvidia-a40"));
}

TEST_F(CommandLine, offload_tells_what_is_wrong_with_its_study_and_where) {
  const std::string study =
      file("study.yaml",
           "scenario: {device: jetson-nano, processes: [{model: resnet50, precision: fp16}]}\n"
           "offload:\n"
           "  cloud: {device: nvidia-a40, processes: [{model: resnet50, precision: fp16}]}\n"
           "  link: {bandwith: 5 Mbit/s, rtt: 1 ms}\n");
  const Outcome outcome = jostle({"offload", study.c_str()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.output, IsEmpty());
  EXPECT_THAT(outcome.error,
              HasSubstr("study.yaml:4: offload.link.bandwith: unknown key (did you mean 'bandwidth'?)"));
}

TEST_F(CommandLine, set_goes_over_the_file_and_its_errors_name_it) {
  const std::string file = good();
  const Outcome more = jostle({"check", file.c_str(), "--set", "processes.0.count=5", "--set", "run.seed=3"});
  EXPECT_EQ(more.code, 0);
  EXPECT_THAT(more.output, HasSubstr("ok, 5 processes"));
  const Outcome wrong = jostle({"check", file.c_str(), "--set", "processes.0.cuont=5"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.error, HasSubstr("--set processes.0.cuont=5"));
  EXPECT_THAT(wrong.error, HasSubstr("did you mean 'count'?"));
}

TEST_F(CommandLine, list_names_what_scenarios_can_name) {
  EXPECT_THAT(jostle({"list", "devices"}).output, HasSubstr("\nnvidia-h200 "));
  EXPECT_THAT(jostle({"list", "models"}).output,
              testing::ContainsRegex("\nresnet +resnet101 resnet152 resnet18 resnet34 resnet50"));
  EXPECT_THAT(jostle({"list", "models", "resnet"}).output,
              testing::ContainsRegex("\nresnet50 +224 +25.56 +8.18 +resnet +torchvision +ResNet-50\n"));
  EXPECT_THAT(jostle({"list", "models", "resnet"}).output, testing::Not(HasSubstr("vgg")));
  EXPECT_THAT(jostle({"list", "models", "language"}).output, HasSubstr("\nqwen3_4b "));
  EXPECT_THAT(jostle({"list", "models", "sam"}).output,
              testing::AllOf(HasSubstr("\nmobile_sam "), HasSubstr("\nsam2_hiera_tiny ")));
  EXPECT_THAT(jostle({"list", "models", "YOLO26"}).output,
              testing::AllOf(HasSubstr("\nyolo26n "), Not(HasSubstr("yolo11"))));
  EXPECT_EQ(jostle({"list", "boards"}).output, jostle({"list", "devices"}).output);
  const Outcome unknown = jostle({"list", "models", "resnets"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.error, HasSubstr("there is no family 'resnets'"));
  EXPECT_THAT(jostle({"list", "models", "--markdown"}).output, HasSubstr("\n| resnet50 | 224 | 25.56 |"));
}

TEST_F(CommandLine, list_modes_shows_those_of_a_board_and_of_an_nvpmodel_conf) {
  const std::string conf =
      file("my.conf",
           "< PARAM TYPE=CLOCK NAME=CPU_A78_0 >\n"
           "MAX_FREQ /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq\n"
           "MIN_FREQ /sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq\n"
           "< POWER_MODEL ID=2 NAME=MODE_NIGHT >\n"
           "CPU_A78_0 MIN_FREQ 729600\nCPU_A78_0 MAX_FREQ 960000\nCPU_ONLINE CORE_4 0\nCPU_ONLINE CORE_5 0\n"
           "TPC_POWER_GATING TPC_PG_MASK 252\nGPU MAX_FREQ 408000000\nNVENC MAX_FREQ 5\n"
           "< PM_CONFIG DEFAULT=2 >\n");
  EXPECT_THAT(jostle({"list", "modes", "jetson-orin-nano"}).output,
              testing::ContainsRegex("\n7W +4 +729.6-960 +408 +4 +2133 *\n"));
  const Outcome on_board = jostle({"list", "modes", "jetson-orin-nano", "--nvpmodel", conf.c_str()});
  EXPECT_EQ(on_board.code, 0);
  EXPECT_THAT(on_board.output,
              testing::ContainsRegex("\nMODE_NIGHT +default +4 +729.6-960 +408 +4 +2133 *\n"));
  EXPECT_THAT(on_board.error, HasSubstr("warning: MODE_NIGHT: NVENC sets nothing that is simulated"));
  const Outcome raw = jostle({"list", "modes", "--nvpmodel", conf.c_str()});
  EXPECT_THAT(raw.output, testing::ContainsRegex("\n +2 +MODE_NIGHT +default +GPU MAX_FREQ +408000000\n"));
  EXPECT_EQ(jostle({"list", "modes"}).code, 2);
  const std::string broken = file("broken.conf", "< POWER_MODEL ID=2\n");
  const Outcome wrong = jostle({"list", "modes", "--nvpmodel", broken.c_str()});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.error, HasSubstr("broken.conf:1: a section header is not closed on its line"));
}

TEST_F(CommandLine, show_gives_each_figure_with_its_grade_and_source) {
  const Outcome outcome = jostle({"show", "device", "nvidia-h200"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.output, testing::ContainsRegex("gpu.time_slicing.slice +2.091 ms +measured +[^ ]"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("…"))) << "nothing is cut where no terminal is";
}

TEST_F(CommandLine, a_trace_that_cannot_be_written_fails_before_the_run) {
  const std::string file = good();
  const Outcome outcome = jostle({"run", file.c_str(), "--trace", "/no/such/directory/x"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.error, HasSubstr("cannot write /no/such/directory/x"));
  EXPECT_THAT(outcome.output, IsEmpty());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cli
