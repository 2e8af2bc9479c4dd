// Whether the cores of a machine have two speeds, told from times of blocks.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/two_speeds.hpp"
#include "sim/random.hpp"
#include "tests/calibration/made_up_boards.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using probe::find_two_speeds;

// Blocks of 1 ms at the quick speed: each core is at the slow one for `slow_ms` at a time, `weight` of the
// time.
std::vector<std::vector<double>> blocks_of(double factor, double weight, double slow_ms, double spread,
                                           std::uint64_t seed) {
  std::vector<std::vector<double>> cores(4);
  for (std::size_t core = 0; core < cores.size(); ++core) {
    sim::RandomStream random(seed, "core " + std::to_string(core));
    bool slow = random.uniform() < weight;
    double left = 0;
    for (double ms = 0; ms < 60'000;) {
      if (left <= 0) {
        slow = !slow;
        left = -std::log(1 - random.uniform()) * (slow ? slow_ms : slow_ms * (1 - weight) / weight);
      }
      const double noise = 1 + spread * (random.uniform() + random.uniform() - 1);
      // One block in fifty meets an interrupt.
      const double block = (slow ? factor : 1) * noise * (random.uniform() < 0.02 ? 3 : 1);
      cores[core].push_back(block);
      ms += block;
      left -= block;
    }
  }
  return cores;
}

TEST(SpeedsOfCores, are_found_with_their_factor_their_share_and_how_long_they_last) {
  for (const double factor : {1.3, 1.6, 1.9}) {
    for (const double weight : {0.2, 0.5}) {
      const auto found = find_two_speeds(blocks_of(factor, weight, 800, 0.1, 3));
      ASSERT_TRUE(found) << factor << ' ' << weight;
      EXPECT_NEAR(found->factor.value, factor, 0.02 * factor);
      EXPECT_NEAR(found->weight.value, weight, 3 * weight * found->weight.relative_sd + 0.01);
      EXPECT_NEAR(found->slow_ms.value, 800, 800 * (3 * found->slow_ms.relative_sd + 0.05));
    }
  }
}

TEST(SpeedsOfCores, are_one_where_blocks_only_scatter_or_drift) {
  EXPECT_FALSE(find_two_speeds(blocks_of(1, 0.3, 800, 0.1, 1)));
  EXPECT_FALSE(find_two_speeds(blocks_of(1, 0.3, 800, 0.8, 1))) << "wide, but of one kind";
  EXPECT_FALSE(find_two_speeds(blocks_of(1.08, 0.3, 800, 0.1, 1))) << "a factor that a profile need not have";
  std::vector<double> drifting;
  for (int i = 0; i < 20'000; ++i) drifting.push_back(1 + 0.5 * i / 20'000);
  EXPECT_FALSE(find_two_speeds({drifting})) << "a clock that falls";
  EXPECT_FALSE(find_two_speeds({}));
  EXPECT_FALSE(find_two_speeds({{1, 2, 1, 2}}));
}

TEST(SpeedsOfCores, are_parameters_of_a_profile_also_on_a_machine_that_has_one) {
  made_up::Tree out;
  std::atomic<bool> interrupted{false};
  const probe::Session session{out.root(), "/", true, interrupted, [](double, std::string_view) {}};
  probe::CpuBench bench = probe::cpu_bench(session);
  bench.pace = 0.1;
  probe::Outcome outcome;
  measure_speeds(bench, outcome);
  ASSERT_FALSE(outcome.parameters.empty());
  EXPECT_EQ(outcome.parameters.front().parameter, "cpu.two_speeds.factor");
  EXPECT_GE(outcome.parameters.front().value, 1);
  EXPECT_EQ(outcome.parameters.size(), outcome.parameters.front().value == 1 ? 1u : 3u);
  ASSERT_EQ(outcome.files.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(out.root() / outcome.files.front()));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
