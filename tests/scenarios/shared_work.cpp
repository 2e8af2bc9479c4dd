// What runs share, and that sharing it changes nothing.
#include "scenarios/run/shared_work.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

TEST(SharedWork, changes_no_result_whatever_ran_before) {
  const profiles::Profile profile = testing::changed_profile("jetson-orin-nano", {});
  const std::string run = "run: {duration: 300 ms, warmup: 0 s}\ndevice: jetson-orin-nano\n";
  const std::vector<std::string> texts{
      "processes: [{model: resnet50, precision: fp16, count: 3}]",
      "processes: [{model: resnet50, precision: int8}]",
      "processes: [{model: resnet50, precision: fp16, batch: 4}]",
      "processes: [{model: resnet50, precision: fp16, runtime: eager}]",
      "processes: [{model: resnet50, precision: fp16, runtime: eager, training: true}]",
      "processes: [{model: resnet50, precision: fp16, layers: [0, 20]}]",
      "processes: [{model: resnet50, precision: fp16, input: 320}]",
      "processes: [{model: resnet50, precision: fp16, placement: cuda-only}]",
      "processes: [{model: yolov8n, precision: fp16}]",
      "clocks: {gpu: 306 MHz}\nprocesses: [{model: yolov8n, precision: fp16}]",
      "power_mode: 7W\nprocesses: [{model: yolov8n, precision: fp16}]",
      "clocks: {emc: 665.6 MHz}\nprocesses: [{model: yolov8n, precision: fp16}]",
  };
  SharedWork shared;
  RunControl sharing;
  sharing.shared = &shared;
  for (int round = 0; round < 2; ++round) {
    for (const std::string& text : texts) {
      const Scenario scenario = testing::scenario_of(run + text, &profile);
      const auto alone = jostle::scenarios::run(scenario, profile, RunControl{});
      const auto with_others = jostle::scenarios::run(scenario, profile, sharing);
      ASSERT_TRUE(alone && with_others) << text;
      EXPECT_EQ(to_json(*alone), to_json(*with_others)) << text;
    }
  }
}

// One run gives the result that was asked for, and the one that is kept, which equals a run that asks for it.
TEST(SharedWork, keeps_the_results_of_runs_with_every_percentile) {
  const profiles::Profile profile = testing::changed_profile("jetson-orin-nano", {});
  const Scenario scenario = testing::scenario_of(
      "run: {duration: 300 ms, warmup: 0 s}\ndevice: jetson-orin-nano\nprocesses:\n"
      "- {model: resnet50, precision: fp16, streams: 2}\n"
      "- {model: yolov8n, precision: fp16, arrivals: {poisson: 20 /s}}\n",
      &profile);
  std::vector<std::string> kept;
  SharedWork shared;
  shared.keep = [&kept](const Result& result) { kept.push_back(to_json(result)); };
  RunControl keeping, every;
  keeping.shared = &shared;
  every.every_percentile = true;
  const auto plain = jostle::scenarios::run(scenario, profile, RunControl{});
  const auto asked = jostle::scenarios::run(scenario, profile, keeping);
  EXPECT_EQ(to_json(*asked), to_json(*plain));
  const std::string whole = to_json(*jostle::scenarios::run(scenario, profile, every));
  EXPECT_NE(whole, to_json(*plain));
  EXPECT_EQ(kept, std::vector<std::string>{whole});
  Scenario replicated = scenario;
  replicated.run.replications = 2;
  (void)jostle::scenarios::run(replicated, profile, keeping);
  EXPECT_EQ(kept.size(), 1U);
}

TEST(SharedWork, makes_each_value_once) {
  Once<int> once;
  int made = 0;
  const auto make = [&made] { return ++made; };
  EXPECT_EQ(once.get("a", make), 1);
  EXPECT_EQ(once.get("b", make), 2);
  EXPECT_EQ(once.get("a", make), 1);
  EXPECT_EQ(made, 2);
}

TEST(SharedKernels, are_one_until_a_copy_is_edited) {
  gpu::KernelSequence sequence;
  sequence.kernels.resize(3);
  const gpu::SharedKernels first(std::move(sequence));
  gpu::SharedKernels second = first;
  EXPECT_EQ(&*first, &*second);
  second.edit().kernels.resize(5);
  EXPECT_EQ(first->kernels.size(), 3U);
  EXPECT_EQ(second->kernels.size(), 5U);
  const gpu::KernelSequence* const own = &*second;
  EXPECT_EQ(&second.edit(), own);  // nobody shares it
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
