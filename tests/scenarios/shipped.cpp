// Scenarios that ship, and the one that the README shows, are accepted as they stand.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "scenarios/load.hpp"

namespace jostle::scenarios {
namespace {

const std::filesystem::path root =
    (std::filesystem::path(__FILE__).parent_path() / "../..").lexically_normal();

TEST(ShippedScenarios, each_is_accepted_and_asks_for_nothing_that_is_not_modelled) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "scenarios")) {
    if (entry.path().extension() != ".yaml") continue;
    ++files;
    input::Problems problems;
    const auto scenario = load_scenario(entry.path().string(), shipped_catalogue(), {}, problems);
    ASSERT_TRUE(scenario.has_value()) << problems.text();
    for (const UnsupportedKey& key : unsupported_keys(*scenario))
      ADD_FAILURE() << entry.path() << ": " << key.path;
  }
  EXPECT_GT(files, 0U);
}

TEST(ShippedScenarios, the_one_in_the_readme_is_accepted) {
  std::ifstream stream(root / "README.md");
  const std::string readme(std::istreambuf_iterator<char>(stream), {});
  const std::string fence = "```yaml\n";
  const std::size_t start = readme.find(fence);
  ASSERT_NE(start, std::string::npos);
  const std::size_t end = readme.find("```\n", start + fence.size());
  const std::string text = readme.substr(start + fence.size(), end - start - fence.size());
  input::Problems problems;
  const auto scenario = parse_scenario(text, "README.md", "", shipped_catalogue(), {}, problems);
  ASSERT_TRUE(scenario.has_value()) << problems.text();
  EXPECT_TRUE(unsupported_keys(*scenario).empty());
}

}  // namespace
}  // namespace jostle::scenarios
