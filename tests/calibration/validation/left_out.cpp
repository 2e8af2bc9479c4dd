// Laboratories judged without their own rows: what is fitted, what counts, what is shown.
#include "calibration/validate/left_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "calibration/evidence/evidence_files.hpp"
#include "calibration/validate/validate.hpp"
#include "tests/sanitized.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using input::CsvError;
using input::CsvTable;

const std::string header =
    "run,lab,device,power_mode,pinned,model,precision,batch,placement,runtime,metric,value,unit,mark\n";

std::string row_of(const std::string& run, const std::string& lab, double images_per_s,
                   const std::string& mark = "") {
  return run + "," + lab + ",jetson-orin-nano-super,MAXN_SUPER,1,resnet18,fp16,1,gpu,tensorrt,throughput," +
         std::to_string(images_per_s) + ",images/s," + mark + "\n";
}

Evidence evidence(const std::string& rows) {
  const input::CsvTable table = input::CsvTable::parse(header + rows, "rows.csv");
  return published_evidence({&table, 1});
}

// Judged with factors that were fitted on `fitted_rows`.
LeftOut judged(const std::string& rows, const std::string& fitted_rows) {
  const std::vector<RunConfiguration> fitted_on = evidence(fitted_rows).configurations;
  return judge_left_out(evidence(rows), {fitted_on, fit_board_factors(fitted_on)});
}

// resnet18 in fp16 on an Orin Nano Super does 1318 images/s (s07 of boards/solo.csv).
const std::string true_row = row_of("t1", "honest", 1318);

TEST(LeftOut, catches_a_doctored_row) {
  const LeftOut found = judged(true_row + row_of("d1", "doctor", 1318 / 3.0), true_row);
  ASSERT_EQ(found.values.size(), 2U);
  const JudgedValue worst = worst_of(found, 1).front();
  EXPECT_EQ(worst.run, "d1");
  EXPECT_NEAR(worst.error(), 2, 0.1);
  EXPECT_NEAR(worst.off(), std::log(1 + worst.error()), 1e-12);
}

TEST(LeftOut, does_not_count_a_marked_row) {
  const LeftOut found =
      judged(true_row + row_of("d1", "doctor", 1318 / 3.0, "a third of what others measured"), true_row);
  ASSERT_EQ(found.values.size(), 1U);
  EXPECT_EQ(found.values.front().run, "t1");
  EXPECT_EQ(found.marked, 1U);
  EXPECT_EQ(grouped_errors(found).front().comparisons.size(), 1U);
}

// What a laboratory measured moves the predictions for others, and not those for itself.
TEST(LeftOut, predicts_a_laboratory_without_its_own_rows) {
  const std::string other = row_of("o1", "other", 1200);
  const std::string rows = true_row + other, halved = row_of("t1", "honest", 659) + other;
  const LeftOut before = judged(rows, rows), after = judged(halved, halved);
  ASSERT_EQ(before.values.size(), 2U);
  ASSERT_EQ(after.values.size(), 2U);
  EXPECT_EQ(before.values[0].predicted, after.values[0].predicted);
  EXPECT_NEAR(before.values[0].predicted, 1200, 0.02 * 1200);  // as the other laboratory's row says
  EXPECT_NEAR(before.values[1].predicted, 1318, 0.02 * 1318);
  EXPECT_NEAR(after.values[1].predicted, 659, 0.02 * 659);
}

TEST(LeftOut, shows_the_worst_once_for_each_network_of_a_laboratory) {
  LeftOut found;
  for (const double predicted : {300.0, 50.0, 110.0}) {
    JudgedValue value;
    value.model = predicted == 110 ? "resnet50" : "resnet18";
    value.measured = 100;
    value.predicted = predicted;
    found.values.push_back(value);
  }
  const std::vector<JudgedValue> worst = worst_of(found, 20);
  ASSERT_EQ(worst.size(), 2U);
  EXPECT_EQ(worst[0].predicted, 300);
  EXPECT_EQ(worst[1].predicted, 110);
}

TEST(Lessons, the_first_that_fits_is_taught) {
  const auto lessons = parse_lessons(
      "lab,model,precision,placement,runtime,metric,teaches\n"
      "lab1,,int8,,,,int8 there\n,,,,eager,,frameworks\n",
      "lessons.csv");
  JudgedValue value;
  value.lab = "lab1";
  value.precision = "int8";
  value.runtime = "eager";
  EXPECT_EQ(taught_by(lessons, value), "int8 there");
  value.precision = "fp16";
  EXPECT_EQ(taught_by(lessons, value), "frameworks");
  value.runtime = "tensorrt";
  EXPECT_EQ(taught_by(lessons, value), "");
  EXPECT_THROW((void)parse_lessons("lab,model,precision,placement,runtime,metric,teaches\na,,,,,,\n", "l"),
               input::CsvError);
}

// The accuracy that was reached, held: see docs/validation.md for the figures.
TEST(LeftOut, laboratories_are_predicted_as_well_as_they_were) {
  if (sanitized) GTEST_SKIP() << "minutes under a sanitizer";
  const LeftOut found = judge_left_out(shipped_evidence(), shipped_fit());
  EXPECT_GE(found.values.size(), 900U);
  for (const ErrorSummary& summary : summarise(grouped_errors(found).front())) {
    const double limit = summary.quantity == "latency"      ? 0.14
                         : summary.quantity == "enqueue"    ? 0.13
                         : summary.quantity == "throughput" ? 0.12
                                                            : 0.12;
    EXPECT_LE(summary.median_absolute, limit) << summary.quantity;
  }
}

// Each lesson is of a row, so that none is left behind when rows or names change.
TEST(Lessons, are_of_rows_that_ship) {
  const Evidence found = shipped_evidence();
  for (const Lesson& lesson : shipped_lessons()) {
    const bool has_rows =
        std::ranges::any_of(found.configurations, [&](const RunConfiguration& configuration) {
          return std::ranges::any_of(configuration.reference_values, [&](const ReferenceValue& reference) {
            JudgedValue value;
            value.lab = configuration.lab;
            value.model = configuration.model;
            value.precision = configuration.precision;
            value.placement = configuration.placement;
            value.runtime = configuration.runtime;
            value.metric = reference.metric;
            return lesson.is_of(value);
          });
        });
    EXPECT_TRUE(has_rows) << lesson.teaches;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
