// Power of a card, fitted to the watts of networks alone.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "calibration/calibrate/board/board_calibration.hpp"
#include "calibration/calibrate/power_fit.hpp"
#include "calibration/evidence/comparison.hpp"
#include "models/board/spec.hpp"
#include "scenarios/run/grades_of.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;

profiles::BaseProfile base_of(const std::string& device) {
  return profiles::shipped_base_profile(device);
}

Calibration nothing_found(const profiles::BaseProfile& base) {
  Calibration found;
  found.device = base.name;
  found.converged = true;
  found.profile = base.profile;
  found.document = base.document;
  return found;
}

// Runs of three networks in three precisions at two batches, with the watts of `watts`, in order.
std::vector<RunConfiguration> runs_with(const std::vector<double>& watts) {
  std::string text = "run,model,precision,batch,runtime,metric,value,unit\n";
  std::size_t row = 0;
  for (const char* const model : {"resnet50", "mobilenet_v2", "fcn_resnet50"})
    for (const char* const precision : {"fp16", "tf32", "fp32"})
      for (const int batch : {1, 8}) {
        const double value = row < watts.size() ? watts[row] : 300;
        text += fmt::format("r{},{},{},{},cuda-graph,power,{},W\n", row, model, precision, batch, value);
        ++row;
      }
  return run_configurations_of(input::CsvTable::parse(text, "made_up.csv"));
}

// The watts that these runs would draw with parameters of the profile set to other values.
std::vector<double> watts_with(const profiles::BaseProfile& base, const std::vector<std::string>& set) {
  input::Problems problems;
  const auto profile = profiles::profile_of(base.document, problems, set);
  if (!profile) throw std::runtime_error(problems.text());
  std::vector<double> watts;
  for (const auto& of_run : simulated(*profile, runs_with({}))) watts.push_back(of_run.front());
  return watts;
}

std::string is(const char* path, const char* value) {
  return fmt::format("{}={{value: {}, grade: fitted, source: test}}", path, value);
}

TEST(PowerFit, finds_the_parameters_that_made_up_watts_obey) {
  const profiles::BaseProfile base = base_of("nvidia-h100");
  const auto watts = watts_with(base, {is("power.gpu.sm", "0.6 nF"), is("power.gpu.tensor", "2 nF"),
                                       is("power.gpu.clock_tree", "0.1 nF")});
  const auto power = fit_power(base, nothing_found(base), runs_with(watts), true);
  ASSERT_TRUE(power);
  const auto value = [&](const char* path) {
    const auto found = std::ranges::find(power->parameters, path, &FittedParameter::path);
    return found == power->parameters.end() ? NAN : std::stod(found->value);
  };
  EXPECT_NEAR(value("power.gpu.sm"), 0.6, 0.03);
  EXPECT_NEAR(value("power.gpu.tensor"), 2, 0.1);
  EXPECT_NEAR(value("power.gpu.clock_tree"), 0.1, 0.005);
  for (const Comparison& comparison : power->fitted.comparisons)
    EXPECT_NEAR(comparison.error(), 0, 0.01) << comparison.run;
  ASSERT_EQ(power->held_out.groups.size(), 1U);
  for (const Comparison& comparison : power->held_out.groups.front().comparisons)
    EXPECT_NEAR(comparison.error(), 0, 0.03) << comparison.run;
  EXPECT_EQ(power->held_out.rows.size(), 18U);
}

TEST(PowerFit, leaves_out_what_the_power_limit_held) {
  const profiles::BaseProfile base = base_of("nvidia-h100");
  std::vector<double> watts = watts_with(base, {});
  watts.back() = 698;
  const auto power = fit_power(base, nothing_found(base), runs_with(watts), false);
  ASSERT_TRUE(power);
  EXPECT_EQ(power->at_limit, 1U);
  EXPECT_EQ(power->rows, 17U);
  EXPECT_TRUE(power->held_out.groups.empty());
}

TEST(PowerFit, grades_the_power_of_a_card_whose_power_was_assumed_and_keeps_what_rows_do_not_tell) {
  const profiles::BaseProfile base = base_of("nvidia-a40");
  ASSERT_EQ(scenarios::power_grade(base.profile), "assumed");
  Calibration found = nothing_found(base);
  const auto power = fit_power(base, found, runs_with(watts_with(base, {})), false);
  ASSERT_TRUE(power);
  add_power(base, *power, found);
  EXPECT_EQ(scenarios::power_grade(found.profile), "fitted");
  EXPECT_EQ(found.covariance.size(), found.parameters.size() * found.parameters.size());
  EXPECT_THAT(profile_text(found, "mine", "w.csv"), HasSubstr("clock_tree: {value:"));
}

TEST(PowerFit, of_one_run_tells_no_share_of_the_parts) {
  const profiles::BaseProfile base = base_of("nvidia-h100");
  std::vector<RunConfiguration> runs = runs_with(watts_with(base, {}));
  runs.resize(1);
  const auto power = fit_power(base, nothing_found(base), runs, true);
  EXPECT_TRUE(!power || power->parameters.size() <= 1);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
