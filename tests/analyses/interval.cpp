#include "analyses/interval/interval.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "analyses/interval/coverage.hpp"
#include "calibration/readers/csv.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace {

using namespace scenarios;

using calibration::Uncertainty;

Scenario scenario(const std::string& text) {
  input::Problems problems;
  const auto read = parse_scenario({text, "test.yaml", {}}, shipped_catalogue(), {}, problems);
  if (!read) throw std::runtime_error(problems.text());
  return *read;
}

RC_GTEST_PROP(Interval, holds_the_prediction_and_grows_with_either_cause, ()) {
  const double point = *rc::gen::inRange(1, 1'000'000) / 100.0;
  const Spread spread{*rc::gen::inRange(0, 100) / 100.0, *rc::gen::inRange(0, 100) / 100.0};
  const double half_width = *rc::gen::inRange(0, 100) / 100.0;
  const auto [from, to] = interval_around(point, spread, half_width);
  RC_ASSERT(from <= point && point <= to);
  const auto wider = interval_around(point, {spread.below + 0.1, spread.above}, half_width + 0.1);
  RC_ASSERT(wider.first < from && wider.second > to);
}

TEST(Interval, of_draws_are_the_quantiles_of_a_normal_distribution) {
  // Scores of a standard normal: 16 of mean 0 and variance 1.
  std::vector<double> draws;
  for (int i = 0; i < 16; ++i)
    draws.push_back(100 * std::exp(0.1 * (i < 8 ? 1.0 : -1.0) * (0.5 + 0.1 * (i % 8))));
  const Spread spread = spread_of(100, draws);
  EXPECT_NEAR(spread.above, 0.12, 0.01);
  EXPECT_NEAR(spread.below, spread.above, 1e-4);
  EXPECT_EQ(spread_of(100, {90, 110}).below, 0);  // too few have the figure
}

TEST(Draws, have_the_spread_and_the_correlation_that_was_asked) {
  input::Problems problems;
  const auto base = calibration::base_profile("jetson-orin-nano-super", problems);
  Uncertainty known;
  known.figures = {"gpu.kernel_fixed", "runtimes.tensorrt.per_launch"};
  known.covariance = {0.04, 0.5 * 0.2 * 0.1, 0.5 * 0.2 * 0.1, 0.01};
  const auto all = calibration::draws(known, base->profile);
  ASSERT_EQ(all.size(), calibration::uncertainty_draws);
  double mean = 0, variance = 0;
  for (const calibration::Draw& draw : all) {
    ASSERT_EQ(draw.names[0], "gpu.kernel_fixed");
    mean += std::log(draw.ratios[0]) / 16;
    variance += std::pow(std::log(draw.ratios[0]), 2) / 16;
  }
  EXPECT_NEAR(mean, 0, 1e-9);
  EXPECT_NEAR(std::sqrt(variance), 0.2, 0.01);
}

TEST(Draws, vary_what_is_assumed_but_not_what_was_measured) {
  input::Problems problems;
  const auto base = calibration::base_profile("jetson-tx2", problems);
  const auto all = calibration::draws({}, base->profile);
  for (const calibration::ProfileParameter& figure : base->profile.figures) {
    const bool drawn = std::ranges::find(all.front().names, figure.path) != all.front().names.end();
    if (!drawn) continue;
    EXPECT_EQ(figure.from.grade, calibration::ParameterGrade::assumed) << figure.path;
  }
  EXPECT_FALSE(all.front().names.empty());
  const auto profile = calibration::drawn(base->document, base->profile, all.front());
  EXPECT_NE(profile.hash, base->profile.hash);
}

TEST(Uncertainty, is_read_as_it_was_written) {
  Uncertainty written;
  written.figures = {"gpu.kernel_fixed", "factor resnet int8"};
  written.covariance = {0.04, -0.01, -0.01, 0.01};
  written.residuals = {{"", "throughput", "family", 0.15, 32}, {"mine", "power", "network", 0.05, 9}};
  const Uncertainty read = calibration::parse_uncertainty(
      calibration::uncertainty_csv_header() + uncertainty_csv(written, "mine"), "mine.csv", "mine");
  EXPECT_EQ(read.figures, written.figures);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(read.covariance[i], written.covariance[i], 1e-5);
  ASSERT_EQ(read.residuals.size(), 2U);
  EXPECT_EQ(read.residual("mine", "power", "network")->half_width, 0.05);
  EXPECT_EQ(read.residual("another", "power", "network"), nullptr);
  EXPECT_EQ(read.residual("another", "throughput", "family")->rows, 32U);
}

TEST(Uncertainty, refuses_what_cannot_be) {
  const std::string header = calibration::uncertainty_csv_header();
  for (const char* row : {"a,sd,x,,-1,\n", "a,sd,x,,ten,\n", "a,width,x,,1,\n", "a,correlation,x,y,2,\n",
                          "a,correlation,x,y,0.5,\n", ",residual,throughput,family,-1,2\n"})
    EXPECT_THROW((void)calibration::parse_uncertainty(header + row, "bad.csv", "a"), calibration::CsvError)
        << row;
}

TEST(Uncertainty, of_every_shipped_profile_can_be_drawn_from) {
  for (const std::string& device : calibration::device_names()) {
    input::Problems problems;
    const auto known = uncertain_profile(device, {}, problems);
    ASSERT_TRUE(known.has_value()) << problems.text();
    for (const calibration::Draw& draw : calibration::draws(known->uncertainty, known->base.profile)) {
      for (const double ratio : draw.ratios) EXPECT_TRUE(ratio > 0 && std::isfinite(ratio)) << device;
      EXPECT_NO_THROW((void)calibration::drawn(known->base.document, known->base.profile, draw)) << device;
    }
    EXPECT_GT(residual_half_width(known->uncertainty, device, "throughput", "model"), 0) << device;
  }
}

TEST(Interval, is_added_to_an_answer_that_is_otherwise_the_same) {
  const Scenario asked = scenario(
      "device: jetson-orin-nano-super\nprocesses: [{model: resnet50, precision: int8, count: 2}]\n"
      "run: {duration: 500 ms, warmup: 200 ms}\n");
  const auto plain = run(asked, {}), with = run_with_interval(asked, {});
  ASSERT_TRUE(plain && with);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& rate = with->processes[i].throughput;
    EXPECT_EQ(rate.mean, plain->processes[i].throughput.mean);
    EXPECT_FALSE(plain->processes[i].throughput.pi90.has_value());
    ASSERT_TRUE(rate.pi90.has_value());
    EXPECT_LT(rate.pi90->first, *rate.mean);
    EXPECT_GT(rate.pi90->second, *rate.mean);
    ASSERT_TRUE(with->processes[i].latency_ms.pi90.has_value());
  }
  ASSERT_TRUE(with->system.power_w.pi90 && with->system.throughput_pi90);
  // What two processes share of a GPU is known less than what one gets: slices and switches vary too.
  EXPECT_EQ(run_with_interval(asked, {})->processes[0].throughput.pi90, with->processes[0].throughput.pi90);
}

TEST(Interval, of_requests_lies_between_nothing_and_what_is_offered) {
  for (const char* arrivals : {"periodic: 15 /s", "poisson: 15 /s", "periodic: 2000 /s"}) {
    const auto result =
        run_with_interval(scenario(std::string("device: jetson-orin-nano\n"
                                               "processes: [{model: resnet50, precision: fp16, arrivals: {") +
                                   arrivals + "}}]\nrun: {duration: 1 s, warmup: 200 ms}\n"),
                          {});
    const auto& process = result->processes[0];
    ASSERT_TRUE(process.throughput.pi90 && process.offered && process.throughput.mean) << arrivals;
    EXPECT_GE(process.throughput.pi90->first, 0) << arrivals;
    EXPECT_LE(process.throughput.pi90->first, *process.throughput.mean) << arrivals;
    EXPECT_LE(process.throughput.pi90->second, std::max(*process.offered, *process.throughput.mean))
        << arrivals;
  }
}

TEST(Interval, of_a_board_that_was_never_measured_is_wider) {
  const auto width = [](const char* device) {
    const auto result = run_with_interval(
        scenario(
            std::string("device: ") + device +
            "\nprocesses: [{model: resnet50, precision: fp16}]\nrun: {duration: 300 ms, warmup: 100 ms}\n"),
        {});
    const auto& rate = result->processes[0].throughput;
    return std::log(rate.pi90->second / rate.pi90->first);
  };
  EXPECT_GT(width("jetson-tx2"), width("jetson-orin-nano-super"));
}

HeldOutRow row(const std::string& fold, double measured) {
  return {.device = "a",
          .quantity = "throughput",
          .basis = "network",
          .fold = fold,
          .measured = measured,
          .predicted = 100,
          .spread = {}};
}

TEST(Coverage, asks_for_what_nine_rows_in_ten_need) {
  std::vector<HeldOutRow> rows;
  for (int i = 1; i <= 19; ++i) rows.push_back(row(std::to_string(i), 100 * std::exp(0.01 * i)));
  const auto residuals = residuals_of(rows);
  ASSERT_EQ(residuals.size(), 1U);
  EXPECT_NEAR(residuals[0].half_width, 0.18, 1e-9);
  rows[3].spread.above = 1;  // explained by its draws
  EXPECT_EQ(rows[3].needed(), 0);
}

TEST(Coverage, is_judged_by_other_folds_only) {
  // One fold is far off: what the others ask for does not hold it, and it says nothing of itself.
  std::vector<HeldOutRow> rows;
  for (int i = 0; i < 8; ++i) rows.push_back(row(i < 4 ? "near" : "also near", 101));
  for (int i = 0; i < 4; ++i) rows.push_back(row("far", 200));
  const auto inside = covered(rows);
  for (std::size_t i = 0; i < 12; ++i) {
    ASSERT_TRUE(inside[i].has_value());
    EXPECT_EQ(*inside[i], i < 8) << i;
  }
  EXPECT_FALSE(covered({row("a", 100), row("b", 100)})[0].has_value());  // too few to tell
}

}  // namespace
}  // namespace jostle::analyses
