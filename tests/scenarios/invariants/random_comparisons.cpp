// Pairs of random scenarios: a change that gives nobody more, and who is served more.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/scenarios/invariants/gains.hpp"
#include "tests/scenarios/invariants/random_runs.hpp"

namespace jostle::scenarios::testing {
namespace {

class Changed : public ::testing::TestWithParam<int> {};

TEST_P(Changed, random_scenarios_serve_nobody_more) {
  for (int i = 0; i < scenarios_in_part(); ++i) {
    const std::uint64_t number = 20'000'000 + static_cast<std::uint64_t>(GetParam() * 1'000'000 + i);
    const Change& change = changes()[number % changes().size()];
    const auto wrong = [&](const Draft& draft) -> std::string {
      const auto pair = change.of(draft, number);
      if (!pair) return "";
      const auto before = simulated(pair->before.text()), after = simulated(pair->after.text());
      if (!before || !after) return "";
      std::string lines;
      for (const std::string& gain : unexplained(*pair, {before->run(), after->run()})) lines += gain + "\n";
      return lines;
    };
    const Draft drawn = draft(number);
    const std::string lines = wrong(drawn);
    if (lines.empty()) continue;
    const Draft least = smallest(drawn, [&](const Draft& some) { return !wrong(some).empty(); });
    const auto pair = change.of(least, number);
    ADD_FAILURE() << "scenario " << number << ", " << change.name << "\n"
                  << lines << "smallest:\n"
                  << pair->before.text() << "changed to\n"
                  << pair->after.text() << wrong(least);
  }
}

INSTANTIATE_TEST_SUITE_P(, Changed, ::testing::Range(0, 4));

}  // namespace
}  // namespace jostle::scenarios::testing
