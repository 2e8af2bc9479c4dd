// Measured runs: rows of evidence as scenarios, each value compared by one runner.
#include "calibration/evidence/measured_run.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "calibration/evidence/evidence_files.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

TEST(EvidenceRows, leave_out_those_with_a_mark) {
  const char* const file = "evidence/language/energy.csv";
  for (const EvidenceRow& row : evidence_rows(file)) EXPECT_EQ(row.at("mark"), "") << row.at("run");
  EXPECT_EQ(evidence_rows(file).size(), 8U);
}

TEST(EvidenceRows, of_a_run_are_neighbours) {
  const auto runs = by_run({{{"run", "a"}}, {{"run", "b"}}, {{"run", "b"}}, {{"run", "a"}}});
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[1].size(), 2U);
}

TEST(EvidenceRows, fill_a_text_with_their_fields_and_no_others) {
  const EvidenceRow row{{"model", "resnet50"}, {"batch", "4"}};
  EXPECT_EQ(filled("{model: <model>, batch: <batch>}", row), "{model: resnet50, batch: 4}");
  EXPECT_EQ(filled("no field", row), "no field");
  EXPECT_THROW((void)filled("<precision>", row), std::out_of_range);
}

const std::string alone =
    "device: jetson-nano\nprocesses: [{model: resnet50, precision: fp16}]\nrun: {duration: 1 s}\n";

TEST(AMeasuredRun, is_compared_value_by_value_in_the_unit_measured) {
  std::vector<ComparisonGroup> groups(2);
  compare_in(groups,
             {{alone,
               1,
               {{"r1, rate", "images/s", 30, "processes.0.throughput"},
                {"r1, share", "share", 1, "processes.0.throughput", 0.1}}}},
             {});
  EXPECT_TRUE(groups[0].comparisons.empty());
  ASSERT_EQ(groups[1].comparisons.size(), 2U);
  EXPECT_GT(groups[1].comparisons[0].predicted, 0);
  EXPECT_DOUBLE_EQ(groups[1].comparisons[1].predicted, 0.1 * groups[1].comparisons[0].predicted);
}

TEST(AMeasuredRun, without_a_prediction_or_a_scenario_is_an_error) {
  EXPECT_THROW((void)compared({{alone, 0, {{"r", "rate", 1, "processes.0.tokens.decode_per_s"}}}}),
               std::runtime_error);
  EXPECT_THROW((void)compared({{"device: jetson-none\n", 0, {}}}), std::runtime_error);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
