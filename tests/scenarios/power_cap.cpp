// Power caps that a board cannot keep are told: after a run, and as far as that needs none, before.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result.hpp"
#include "scenarios/run/run.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string capped(const std::string& budget) {
  return "device: jetson-orin-nano-super\npower_cap: {budget: " + budget +
         ", window: 200 ms}\nprocesses: [{model: resnet50, precision: fp16, batch: 4}]\n"
         "run: {duration: 2 s, warmup: 2 s}\n";
}

TEST(PowerCap, that_the_lowest_clocks_do_not_keep_is_told) {
  const Result result = run_text(capped("1 mW"));
  EXPECT_THAT(result.warnings, Contains(HasSubstr("the power cap of 1 mW is not met: ")));
  EXPECT_GT(result.system.power_w.mean.value(), 2);
}

TEST(PowerCap, that_is_kept_is_not_spoken_of) {
  const Result result = run_text(capped("12 W"));
  EXPECT_LE(result.system.power_w.mean.value(), 12);
  EXPECT_THAT(result.warnings, Not(Contains(HasSubstr("power cap"))));
}

TEST(PowerCap, below_what_the_board_draws_with_nothing_to_do_is_told_without_a_run) {
  EXPECT_THAT(preview(scenario_of(capped("1 mW"))).warnings,
              Contains(HasSubstr("the power cap of 1 mW cannot be met: with nothing to do")));
  EXPECT_THAT(preview(scenario_of(capped("8 W"))).warnings, Not(Contains(HasSubstr("power cap"))));
}

// A load that a device's clocks can halve.
std::string busy(const std::string& device, const std::string& cap) {
  return "device: " + device + "\n" + cap +
         "processes: [{model: resnet50, precision: fp16, batch: 8, sync: spin}]\n"
         "run: {duration: 10 s, warmup: 10 s}\n";
}

TEST(PowerCap, settles_at_its_budget_on_every_device) {
  for (const std::string& device : gpu_devices()) {
    const double budget_w = 0.75 * run_text(busy(device, "")).system.power_w.mean.value();
    const Result capped = run_text(busy(device, fmt::format("power_cap: {{budget: {} W}}\n", budget_w)));
    EXPECT_NEAR(capped.system.power_w.mean.value(), budget_w, 0.02 * budget_w) << device;
    EXPECT_EQ(capped.system.limited_by, "power_cap") << device;
    EXPECT_THAT(capped.warnings, Not(Contains(HasSubstr("power cap")))) << device;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
