#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "calibration/validate/validate.hpp"
#include "input/csv.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using namespace scenarios;

using ::testing::Contains;
using ::testing::Not;

constexpr const char* header =
    "run,device,power_mode,pinned,model,precision,batch,processes,metric,value,unit,of\n";
constexpr const char* board = "jetson-orin-nano-super";

std::string row(const std::string& run, const std::string& mode, const std::string& model, int processes,
                double images_per_s, const std::string& of = "") {
  return run + "," + board + "," + mode + ",1," + model + ",fp16,1," + std::to_string(processes) +
         ",throughput," + std::to_string(images_per_s) + ",images/s," + of + "\n";
}

std::vector<ComparisonGroup> validated(const std::string& rows) {
  input::Problems problems;
  const auto profile = analyses::uncertain_profile(board, {}, problems);
  return validate_evidence(*profile,
                           run_configurations_of(input::CsvTable::parse(header + rows, "mine.csv")));
}

std::vector<std::string> names(const std::vector<ComparisonGroup>& groups) {
  std::vector<std::string> found;
  for (const ComparisonGroup& group : groups) found.push_back(group.name);
  return found;
}

const ComparisonGroup& group(const std::vector<ComparisonGroup>& groups, const std::string& name) {
  const auto found = std::ranges::find(groups, name, &ComparisonGroup::name);
  if (found == groups.end()) throw std::runtime_error("no group " + name);
  return *found;
}

TEST(OwnEvidence, is_split_by_what_varies_and_by_nothing_else) {
  const auto groups =
      validated(row("a", "MAXN_SUPER", "resnet50", 1, 500) + row("b", "15W", "resnet50", 1, 300) +
                row("c", "MAXN_SUPER", "resnet50", 2, 480));
  EXPECT_THAT(names(groups), Contains("power mode: 15W"));
  EXPECT_THAT(names(groups), Contains("processes: 2"));
  EXPECT_THAT(names(groups), Not(Contains("network: resnet50")));
  EXPECT_EQ(group(groups, "all").comparisons.size(), 3U);
}

TEST(OwnEvidence, of_more_processes_or_images_than_a_scenario_may_have_is_refused_with_its_line) {
  const auto refused = [](const std::string& rows) {
    try {
      (void)run_configurations_of(input::CsvTable::parse(header + rows, "mine.csv"));
    } catch (const input::CsvError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(refused(row("a", "15W", "resnet50", 1'000'000'000, 500)),
              ::testing::AllOf(::testing::HasSubstr("mine.csv:2"),
                               ::testing::HasSubstr("processes 1000000000 is more than 1024")));
  std::string row_of_large_batch = row("a", "15W", "resnet50", 1, 500);
  row_of_large_batch.replace(row_of_large_batch.find(",1,1,throughput"), 3, ",1000000,");
  EXPECT_THAT(refused(row_of_large_batch), ::testing::HasSubstr("batch 1000000 is more than 4096"));
}

TEST(OwnEvidence, tells_its_own_repeat_noise) {
  const auto groups =
      validated(row("a", "MAXN_SUPER", "resnet50", 1, 490) + row("b", "MAXN_SUPER", "resnet50", 1, 510));
  const ComparisonGroup& repeats = group(groups, "repeats");
  ASSERT_EQ(repeats.comparisons.size(), 2U);
  EXPECT_DOUBLE_EQ(repeats.comparisons[0].predicted, 500);
}

TEST(OwnEvidence, passes_over_parts_of_runs) {
  const auto groups = validated(row("a", "MAXN_SUPER", "resnet50", 1, 500) +
                                row("a", "MAXN_SUPER", "resnet50", 1, 100, "whole file"));
  EXPECT_EQ(group(groups, "all").comparisons.size(), 1U);
}

TEST(ErrorSummary, tells_the_error_that_nine_in_ten_do_not_exceed) {
  ComparisonGroup twenty;
  for (int i = 1; i <= 20; ++i) twenty.comparisons.push_back({"", "x", 100, 100.0 + i});
  EXPECT_NEAR(summarise(twenty).front().p90_absolute, 0.18, 1e-12);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
