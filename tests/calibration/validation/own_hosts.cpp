// The host of eager runs from one's own traces and rates: from evidence to a profile.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "calibration/calibrate/calibrate.hpp"
#include "models/board/spec.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* header =
    "run,model,precision,batch,metric,value,unit,of,runtime,observer,input,grid,block,registers,shared_"
    "bytes\n";

// A trace of 50 kernels of 1 us, 100 operators that launch (some of them nothing that was traced), 40 views.
std::string traced(const std::string& model, double host_us) {
  std::string rows;
  const auto row = [&](const std::string& metric, double value, const std::string& more) {
    rows += fmt::format("t,{},fp16,1,{},{},{}\n", model, metric, value, more);
  };
  for (int i = 0; i < 50; ++i)
    row("layer_time", 1, fmt::format("us,gemm_{},eager,pytorch-profiler,,9x1x1,128x1x1,90,4096", i));
  row("launching_operators", 100, ",,eager,pytorch-profiler,,,,,");
  row("view_operators", 40, ",,eager,pytorch-profiler,,,,,");
  row("host_time", host_us, "us,,eager,pytorch-profiler,,,,,");
  return rows;
}

std::string rate(const std::string& model, double value) {
  return fmt::format("{0},{0},fp16,1,throughput,{1},images/s,,eager,,,,,,\n", model, value);
}

Calibration calibrated(const char* board, const std::string& rows) {
  return calibrate(profiles::shipped_base_profile(board),
                   run_configurations_of(input::CsvTable::parse(header + rows, "ev.csv")),
                   PriorsFrom::profile);
}

// Images/s of an eager process alone.
double images_per_s(const char* board, const std::string& model, const profiles::Profile& profile) {
  input::Problems problems;
  const auto scenario = scenarios::parse_scenario(
      {fmt::format("device: {}\nprocesses: [{{model: {}, precision: fp16, runtime: eager, sync: spin}}]\n"
                   "run: {{duration: 1 s}}\n",
                   board, model),
       "one.yaml", "."},
      scenarios::shipped_catalogue(), {}, problems);
  EXPECT_TRUE(scenario) << problems.text();
  return scenarios::run(*scenario, profile, {})->processes.front().throughput.mean.value_or(0);
}

double images_per_s(const char* board, const std::string& model) {
  return images_per_s(board, model, profiles::shipped_base_profile(board).profile);
}

TEST(OwnHosts, take_the_time_of_the_operators_that_a_trace_counts) {
  const Calibration found = calibrated("nvidia-h200", traced("resnet18", 9000));
  const auto& eager = found.profile.spec->runtimes[process::Runtime::eager];
  const double us = 50 * sim::to_us(eager->per_launch) + 100 * sim::to_us(eager->per_operator) +
                    40 * sim::to_us(eager->per_view);
  EXPECT_NEAR(images_per_s("nvidia-h200", "resnet18", found.profile), 1e6 / us, 0.03e6 / us);
}

TEST(OwnHosts, take_the_time_of_a_trace_where_the_profile_has_no_costs_of_operators) {
  const Calibration found = calibrated("nvidia-h100", traced("resnet18", 9000));
  EXPECT_NEAR(images_per_s("nvidia-h100", "resnet18", found.profile), 1e6 / 9000, 0.03e6 / 9000);
}

const std::vector<std::string> rated{"resnet18", "mobilenet_v2", "densenet121", "shufflenet_v2_x1_0"};

TEST(OwnHosts, have_one_factor_for_every_network) {
  std::string rows;
  for (const std::string& model : rated) rows += rate(model, images_per_s("nvidia-h200", model) / 1.3);
  const Calibration found = calibrated("nvidia-h200", rows);
  const auto& eager = found.profile.spec->runtimes[process::Runtime::eager];
  EXPECT_NEAR(eager->host_time, 1.24, 0.06);  // the prior draws it to 1
  EXPECT_EQ(eager->rate_weight, 1);
  const double other =
      images_per_s("nvidia-h200", "googlenet", found.profile) / images_per_s("nvidia-h200", "googlenet");
  EXPECT_NEAR(other, 1 / eager->host_time, 0.02);
}

TEST(OwnHosts, have_no_factor_where_costs_are_those_of_launches) {
  std::string rows;
  for (const std::string& model : rated) rows += rate(model, images_per_s("nvidia-h100", model) / 1.3);
  const Calibration found = calibrated("nvidia-h100", rows);
  const auto& eager = found.profile.spec->runtimes[process::Runtime::eager];
  EXPECT_EQ(eager->host_time, 1);
  const auto shipped = profiles::shipped_base_profile("nvidia-h100").profile;
  const auto& before = shipped.spec->runtimes[process::Runtime::eager];
  EXPECT_GT(eager->per_launch * 250 + eager->per_batch, before->per_launch * 250 + before->per_batch);
}

TEST(OwnHosts, run_a_traced_network_at_its_rate_where_few_are_known) {
  const Calibration found = calibrated("nvidia-h200", traced("resnet18", 9000) + rate("resnet18", 300));
  EXPECT_GT(found.profile.spec->runtimes[process::Runtime::eager]->host_time, 1.1);
  EXPECT_NEAR(images_per_s("nvidia-h200", "resnet18", found.profile), 300, 5);
}

TEST(OwnHosts, learn_that_a_rate_says_little_of_its_network_where_rates_scatter) {
  std::string rows = traced("googlenet", 9000) + rate("googlenet", 476.4 * 1.7);
  double times = 1 / 1.7;
  for (const std::string& model : rated) {
    rows += rate(model, images_per_s("nvidia-h200", model) * times);
    times = 1 / times;
  }
  const Calibration found = calibrated("nvidia-h200", rows);
  const auto& eager = found.profile.spec->runtimes[process::Runtime::eager];
  EXPECT_NEAR(eager->host_time, 0.85, 0.1);  // three rates of five are faster
  EXPECT_LT(eager->rate_weight, 0.2);
  EXPECT_THAT(found.own.notes, Contains(HasSubstr("5 rates scatter by 5")));
  EXPECT_THAT(profile_text(found, "mine", "ev"), HasSubstr("rate_weight"));
  const double own = images_per_s("nvidia-h200", "googlenet", found.profile) / (476.4 / eager->host_time);
  EXPECT_NEAR(std::log(own), eager->rate_weight * std::log(1.7 * eager->host_time), 0.03);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
