// The laws, over a thousand random scenarios, and over every scenario that ships.

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/sanitized.hpp"
#include "tests/scenarios/invariants/generator.hpp"
#include "tests/scenarios/invariants/laws.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace {

// None if the loader refuses the text.
std::optional<Scenario> loaded(const std::string& text) {
  static const Catalogue catalogue = shipped_catalogue();
  input::Problems problems;
  return parse_scenario({text, "random.yaml", ""}, catalogue, {}, problems);
}

// What is wrong with the run of a scenario, a line each; empty if nothing is.
std::string wrong_with(const Scenario& scenario) {
  std::string lines;
  try {
    const Result result = run(scenario, RunControl{}).value();
    for (const std::string& breach : breaches({scenario, device_of(scenario), result}))
      lines += breach + "\n";
  } catch (const std::exception& error) {
    lines = fmt::format("it ended with: {}\n", error.what());
  }
  return lines;
}

// Ten parts, so that ctest can run them side by side. Each scenario has its number for good.
class Thousand : public ::testing::TestWithParam<int> {};

TEST_P(Thousand, random_scenarios_obey_all_laws) {
  constexpr int per_part = sanitized ? 10 : 100;
  int refused = 0;
  for (int i = 0, number = 100'000 * GetParam(); i < per_part; ++number) {
    const Draft drawn = draft(static_cast<std::uint64_t>(number));
    const std::optional<Scenario> scenario = loaded(drawn.text());
    if (!scenario) {
      ASSERT_LT(++refused, per_part) << "the generator draws what is not valid:\n" << drawn.text();
      continue;
    }
    ++i;
    const std::string wrong = wrong_with(*scenario);
    if (wrong.empty()) continue;
    const std::string law = wrong.substr(0, wrong.find(':'));
    const Draft least = smallest(drawn, [&](const Draft& some) {
      const std::optional<Scenario> smaller = loaded(some.text());
      return smaller && wrong_with(*smaller).starts_with(law);
    });
    ADD_FAILURE() << "scenario " << number << "\n" << wrong << "smallest:\n" << least.text();
  }
}

INSTANTIATE_TEST_SUITE_P(, Thousand, ::testing::Range(0, 10));

// Those that ship with jostle, for as long as they ask. Studies are none.
TEST(Shipped, scenarios_obey_all_laws) {
  const Catalogue catalogue = shipped_catalogue();
  int checked = 0;
  for (const char* folder : {"scenarios", "tests/golden"}) {
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(JOSTLE_SOURCE_DIR) / folder)) {
      if (file.path().extension() != ".yaml") continue;
      input::Problems problems;
      const auto scenario = load_scenario(file.path().string(), catalogue, {}, problems);
      if (!scenario) continue;
      ++checked;
      EXPECT_EQ(wrong_with(*scenario), "") << file.path();
    }
  }
  EXPECT_GT(checked, 20);
}

}  // namespace
}  // namespace jostle::scenarios::testing
