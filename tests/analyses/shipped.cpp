// Scenarios that ship, and the one that the README shows, are accepted as they stand.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "analyses/study/check.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::analyses {
namespace JOSTLE_FILE {

using namespace scenarios;

const std::filesystem::path root = JOSTLE_SOURCE_DIR;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

bool is_study(const std::filesystem::path& path) {
  return text_of(path).find("\nscenario:") != std::string::npos;
}

TEST(ShippedScenarios, each_study_is_accepted_and_has_a_point_that_runs) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "scenarios")) {
    if (entry.path().extension() != ".yaml" || !is_study(entry.path())) continue;
    ++files;
    input::Problems problems;
    const auto study = load_study(entry.path().string(), problems);
    ASSERT_TRUE(study.has_value()) << problems.text();
    Profiles profiles;
    const auto checked = check_points(*study, profiles, 0, nullptr, problems);
    ASSERT_TRUE(checked.has_value()) << problems.text();
    EXPECT_TRUE(std::ranges::any_of(checked->points, &CheckedPoint::is_supported));
  }
  EXPECT_GT(files, 0U);
}

TEST(ShippedScenarios, each_is_accepted) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "scenarios")) {
    if (entry.path().extension() != ".yaml" || is_study(entry.path())) continue;
    ++files;
    input::Problems problems;
    const auto scenario = load_scenario(entry.path().string(), shipped_catalogue(), {}, problems);
    ASSERT_TRUE(scenario.has_value()) << problems.text();
  }
  EXPECT_GT(files, 0U);
}

TEST(ShippedScenarios, the_one_in_the_readme_is_accepted) {
  const std::string readme = text_of(root / "README.md");
  const std::string fence = "```yaml\n";
  const std::size_t start = readme.find(fence);
  ASSERT_NE(start, std::string::npos);
  const std::size_t end = readme.find("```\n", start + fence.size());
  const std::string text = readme.substr(start + fence.size(), end - start - fence.size());
  input::Problems problems;
  const auto scenario = parse_scenario({text, "README.md", ""}, shipped_catalogue(), {}, problems);
  ASSERT_TRUE(scenario.has_value()) << problems.text();
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
