// The report for people holds every process and its figures, and fits a narrow screen.
#include "cli/run/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "cli/compare/text.hpp"
#include "cli/terminal/terminal.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/result/starved.hpp"
#include "tests/scenarios/result_samples.hpp"

namespace jostle::cli {
namespace JOSTLE_FILE {

using testing::HasSubstr;
using testing::Not;

// A scenario with all its defaults, as a result has it.
std::string resolved(const std::string& processes) {
  input::Problems problems;
  const auto scenario =
      scenarios::parse_scenario({"device: jetson-orin-nano\nprocesses: " + processes + "\n", "gate.yaml", ""},
                                scenarios::shipped_catalogue(), {}, problems);
  EXPECT_EQ(problems.text(), "");
  return to_json(*scenario);
}

TEST(Report, shows_each_process_with_its_interval_the_total_and_where_its_time_went) {
  EXPECT_EQ(
      report(scenarios::test::sample_result(), Terminal::unlimited, false),
      "cameras at the gate: nvidia-h200, seed 7, 4 s simulated\n"
      "\n"
      "#  process        prec  batch  runtime     images/s  ±95 %  p50 ms  p90 ms  p99 ms     MB  grade      "
      "status\n"
      "0  resnet50       fp16      4  cuda-graph    2143.4   4.40   3.690   3.800   3.900  512.0  fitted     "
      "ok\n"
      "1  front, \"left\"  –         1  eager              –      –       –       –       –      –  "
      "datasheet  "
      "out_of_memory\n"
      "   total                                     2143.4\n"
      "\n"
      "where each process's time went, %\n"
      "#  process    gpu  switch  gpu wait  launch  cpu  core wait  idle\n"
      "0  resnet50  50.0     5.0      30.0     5.0  5.0        4.0   1.0\n"
      "\n"
      "GPU   busy 98.2 %, 482 switches/s\n"
      "CPU   1.25 cores busy\n"
      "RAM   1512 of 7620 MB held, 2.0 % for the GPU\n");
}

TEST(Report, shows_the_prediction_interval_of_p99_where_there_is_one) {
  scenarios::Result result = scenarios::test::sample_result();
  result.processes[0].latency_ms.pi90.p99 = {{3.2, 4.75}};
  const std::string text = report(result, Terminal::unlimited, false);
  EXPECT_THAT(text, HasSubstr("p99 ms  90 % of p99 within"));
  EXPECT_THAT(text, HasSubstr("3.200 … 4.750"));
}

// A result whose first process keeps up with 30 images/s; where its time goes is left open.
scenarios::Result keeping_up(const std::string& grade) {
  scenarios::Result result = scenarios::test::sample_result();
  scenarios::ProcessResult& process = result.processes[0];
  process.offered = process.throughput.mean = 30;
  process.stable = true;
  process.grades.kernels = grade;
  process.time_share->fill(0);
  return result;
}

// With an interval or without one, answer and certainty of one run agree.
TEST(Report, says_that_the_real_board_may_not_keep_up_where_a_process_has_little_room) {
  scenarios::Result result = keeping_up("fitted");
  scenarios::ProcessResult& process = result.processes[0];
  result.processes.resize(1);
  result.resolved = resolved("[{model: resnet50, precision: fp16}]");
  const auto told = [&] {
    const PageWords words = report_words(result);
    return words.answer.front().lines.front() + "\n" + words.trust.front();
  };
  EXPECT_THAT(told(), Not(HasSubstr("keep up")));
  result.room = scenarios::Room{.slower = 0.12, .process = 0};
  EXPECT_THAT(told(), HasSubstr("; the real board may not keep up with resnet50's 30.0 images/s"));
  EXPECT_THAT(told(), HasSubstr("; one that is 12 % slower does not keep up with resnet50's 30.0 images/s"));
  result.system.throughput_pi90 = {{22, 30}};
  process.unstable_share = 0.31;
  process.latency_ms.pi90.p99 = {{3.2, std::numeric_limits<double>::infinity()}};
  EXPECT_THAT(told(), HasSubstr("; the real board may not keep up with resnet50's 30.0 images/s"));
  EXPECT_THAT(told(),
              HasSubstr("3 of 10 boards do not keep up, latency grows there. Throughput and latency: 9 "
                        "of 10 real boards should show resnet50 p99 3.2 ms and more (fitted"));
  EXPECT_THAT(report(result, Terminal::unlimited, false), HasSubstr("3.200 … grows"));
}

// Waits for the slices of others are no slack: the GPU that all share has less.
TEST(BusyShare, of_a_process_that_waits_for_the_gpu_is_that_of_the_gpu) {
  scenarios::Result result = keeping_up("datasheet");
  scenarios::ProcessResult& process = result.processes[0];
  (*process.time_share)[index_of(process::Share::gpu_running)] = 0.45;
  (*process.time_share)[index_of(process::Share::gpu_switch)] = 0.02;
  (*process.time_share)[index_of(process::Share::gpu_slice_wait)] = 0.13;
  (*process.time_share)[index_of(process::Share::idle)] = 0.4;
  result.processes[1] = process;
  result.system.gpu.busy = 0.9;
  EXPECT_NEAR(scenarios::busy_share(result, process).value(), 0.94, 1e-9);
  result.processes[1].offered = std::nullopt;  // a closed loop takes what requests leave
  EXPECT_NEAR(scenarios::busy_share(result, process).value(), 0.6, 1e-9);
}

// The sentence on phases stands beside how sure the answer is, with a verdict too, and not a second time
// below.
TEST(Report, says_beside_how_sure_it_is_that_phases_stay_as_the_seed_drew_them) {
  scenarios::Result result = keeping_up("fitted");
  result.resolved = resolved("[{model: resnet50, precision: fp16, count: 2}]");
  result.warnings = {"the phases of left and right stay as this seed drew them", "another"};
  const PageWords words = report_words(result);
  EXPECT_THAT(words.trust.front(), HasSubstr("; the phases of left and right stay as this seed drew them"));
  ASSERT_EQ(words.warnings.back().text, "another");
  EXPECT_THAT(report(result, Terminal::unlimited, false), Not(HasSubstr("the phases of")));
}

TEST(Comparison, says_which_side_may_not_keep_up_and_the_seeds_of_all_its_runs) {
  scenarios::Result wide = keeping_up("fitted");
  wide.processes.resize(1);
  wide.resolved = resolved("[{model: resnet50, precision: fp16}]");
  scenarios::Result tight = wide;
  tight.room = scenarios::Room{.slower = 0.11, .process = 0};
  const auto words = [](const scenarios::Result& a, const scenarios::Result& b) {
    return comparison_words({.a = {a, a}, .b = {b, b}, .only_a = {}, .only_b = {}}, {"a.yaml", "b.yaml"});
  };
  EXPECT_THAT(words(wide, tight).trust.front(),
              HasSubstr("; one that is 11 % slower does not keep up with resnet50's 30.0 images/s in B"));
  EXPECT_THAT(words(tight, wide).trust.front(), HasSubstr("images/s in A"));
  EXPECT_THAT(words(tight, tight).trust.front(), HasSubstr("images/s in both"));
  EXPECT_THAT(words(wide, wide).trust.front(), Not(HasSubstr("keep up")));
  EXPECT_EQ(words(wide, tight).run, "2 pairs of runs, seeds 7 to 8 in both");
  analyses::Compared over{.a = {wide, wide}, .b = {tight, tight}, .only_a = {}, .only_b = {}};
  over.system = {{.metric = "throughput", .unit = "images/s", .a = 30, .b = 28, .difference = -2}};
  over.groups = {{.a = {.label = "camera"}, .b = {.label = "camera"}, .label = "camera"}};
  over.groups[0].overload_b = {.runs = 1, .stable_share = 0.95};
  over.groups[0].with_latency = 1;
  const PageWords told = comparison_words(over, {"a.yaml", "b.yaml"});
  EXPECT_THAT(told.answer.front().lines.front(), HasSubstr("; camera does not keep up in B"));
  EXPECT_EQ(told.warnings.at(0).title, "camera does not keep up in B");
  EXPECT_EQ(told.warnings.at(0).text,
            "1 of 2 runs (stable up to 95 % of its requests, all else as it is); latency grows without bound "
            "there, and is compared "
            "over 1 of the pairs");
}

TEST(Report, tells_of_a_process_behind_another_from_when_on_its_latency_counts) {
  scenarios::Result result = scenarios::test::sample_result();
  result.resolved = resolved(
      "[{load: busy}, {model: resnet50, precision: fp16, after: camera},"
      " {model: resnet50, precision: fp16, name: camera, arrivals: {periodic: 10 /s}}]");
  EXPECT_THAT(report_words(result).answer.front().lines.front(),
              HasSubstr("resnet50 p99 3.90 ms from camera's request on at"));
}

TEST(Report, shows_half_of_an_interval_that_is_not_cut_at_zero) {
  scenarios::Result result = scenarios::test::sample_result();
  result.processes[0].throughput.mean = 20;
  result.processes[0].throughput.ci95 = {{0, 50}};
  EXPECT_THAT(report(result, Terminal::unlimited, false), HasSubstr("  20.000   30.0  "));
}

TEST(Report, fits_sixty_columns_and_says_what_it_left_out) {
  scenarios::Result result = scenarios::test::sample_result();
  result.processes[1].status = "ok";
  const std::string text = report(result, 60, false);
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) EXPECT_LE(display_width(line), 60U) << line;
  EXPECT_THAT(text, HasSubstr("images/s"));
  EXPECT_THAT(text, HasSubstr("±95 %"));
  EXPECT_THAT(text, HasSubstr("p99 ms"));
  EXPECT_THAT(text, HasSubstr("not shown: prec, runtime"));
}

TEST(Report, figures_of_a_column_have_the_same_number_of_decimals) {
  scenarios::Result result = scenarios::test::sample_result();
  result.processes[1].throughput.mean = 9.87654;
  EXPECT_THAT(report(result, Terminal::unlimited, false), HasSubstr("      9.9"));
}

TEST(Report, of_an_overloaded_process_says_up_to_which_share_of_its_load_it_would_be_stable) {
  scenarios::Result result = scenarios::test::sample_result();
  result.processes[0].stable = false;
  result.processes[0].offered = 2461;
  EXPECT_THAT(overload_lines(result, Terminal::unlimited, false),
              HasSubstr("serves 2143 of 2461 images/s\n"));
  result.processes[0].stable_rate = 2143;
  EXPECT_THAT(overload_lines(result, Terminal::unlimited, false),
              HasSubstr("2143 of 2461 images/s; stable\nup to 87 % of its requests, all else as it is\n"));
  EXPECT_EQ(stable_up_to(0.9996), "stable up to 99.9 % of its requests, all else as it is");
}

TEST(Report, a_single_process_needs_no_total) {
  scenarios::Result result = scenarios::test::sample_result();
  result.processes.resize(1);
  EXPECT_THAT(report(result, Terminal::unlimited, false), Not(HasSubstr("total")));
}

TEST(Report, says_for_how_long_to_simulate_where_samples_are_too_few_for_a_percentile) {
  scenarios::Result result = scenarios::test::sample_result();
  result.processes[0].latency_ms.samples = 400;
  result.processes[0].latency_ms.needs = {{"p95", {2.9}}, {"p99", {8.8}}};
  EXPECT_THAT(
      report(result, Terminal::unlimited, false),
      HasSubstr("\n400 samples are too few for p95 and p99 of process 0 (resnet50); simulate about 8.8 s\n"));
}

TEST(Report, says_what_bound_the_board_and_why_the_run_stopped) {
  scenarios::Result result = scenarios::test::sample_result();
  result.system.limited_by = "power_cap";
  result.system.stop = "limit";
  const std::string text = report(result, Terminal::unlimited, false);
  EXPECT_THAT(text, HasSubstr("the power cap holds the clocks down"));
  EXPECT_THAT(text, HasSubstr("stopped by limit"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cli
