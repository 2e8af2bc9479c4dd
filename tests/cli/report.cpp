// The report for people holds every process and its figures, and fits a narrow screen.
#include "cli/run/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "cli/terminal/terminal.hpp"
#include "tests/scenarios/result_samples.hpp"

namespace jostle::cli {
namespace JOSTLE_FILE {

using testing::HasSubstr;
using testing::Not;

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
              HasSubstr("2143 of 2461 images/s; stable\nup to 87 % of this load\n"));
  EXPECT_EQ(stable_up_to(0.9996), "stable up to 99.9 % of this load");
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
