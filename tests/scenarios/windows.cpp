// Windows of one simulation, against one run over the same time.
#include "scenarios/run/windows.hpp"

#include <gtest/gtest.h>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

TEST(Windows, go_on_where_the_one_before_ended) {
  const Scenario scenario = testing::scenario_of(
      "device: jetson-orin-nano-super\nambient: 40 degC\nprocesses:\n"
      "  - {model: resnet50, precision: fp16, batch: 4, arrivals: {poisson: 60 /s}}\n"
      "run: {duration: 500 ms, warmup: 200 ms}\n");
  input::Problems problems;
  const auto profile = device_profile(scenario, problems);
  ASSERT_TRUE(profile);
  RunControl control;
  Windows windows(scenario, *profile, control);
  double images = 0, energy = 0;
  Result last;
  for (int i = 0; i < 6; ++i) {
    const auto window = windows.next();
    ASSERT_TRUE(window);
    images += window->processes[0].images.value_or(0);
    energy += window->system.power_w.mean.value_or(0) * window->simulated_s;
    EXPECT_NEAR(window->simulated_s, 0.5, 1e-9);
    last = *window;
  }
  Scenario whole = scenario;
  whole.run.duration = sim::seconds(3);
  const auto once = run(whole, *profile, control);
  ASSERT_TRUE(once);
  // Of batches at the ends of a window only parts count: all in all less than one batch.
  EXPECT_NEAR(images, once->processes[0].images.value_or(0), 4);
  EXPECT_NEAR(energy, once->system.power_w.mean.value_or(0) * 3, 0.02 * energy);
  EXPECT_EQ(last.system.temperature_c, once->system.temperature_c);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
