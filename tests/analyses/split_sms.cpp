// Partitions of the SMs as changes that `jostle explain` offers.
#include "analyses/explain/split_sms.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyses/explain/explain.hpp"
#include "analyses/explain/parts.hpp"
#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {

using namespace scenarios;
using namespace scenarios::testing;
namespace JOSTLE_FILE {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

gpu::Spec gpu_of(const Scenario& scenario) {
  input::Problems problems;
  return device_profile(scenario, problems)->spec->gpu;
}

std::vector<std::optional<std::int64_t>> partitions_in(const SplitSms& split) {
  std::vector<std::optional<std::int64_t>> found;
  for (const ProcessEntry& process : split.board.scenario.processes)
    for (const ProcessEntry& part : parts_of(process)) found.push_back(part.gpu.sm_partition);
  return found;
}

std::string on_h100(const std::string& processes) {
  return "device: nvidia-h100\nrun: {duration: 100 ms, warmup: 50 ms}\nprocesses: [" + processes + "]\n";
}

const std::string resnet = "{model: resnet50, precision: fp16, runtime: cuda-graph";
const std::string loops = resnet + ", count: 3}";
const std::string camera_and_batch =
    resnet +
    ", name: camera, arrivals: {periodic: 100 /s}}, {model: vit_b_16, precision: fp16, runtime: "
    "cuda-graph, batch: 8, name: batch}";

TEST(SplitSms, equally_deals_out_multiples_that_the_gpu_can_give) {
  const Scenario scenario = scenario_of(on_h100(loops), nullptr, {});
  const auto split = equal_partitions(scenario, gpu_of(scenario));
  ASSERT_TRUE(split);
  EXPECT_THAT(partitions_in(*split), ElementsAre(Optional(48), Optional(40), Optional(40)));
  EXPECT_EQ(split->label, "SMs split, 48, 40, 40");
  EXPECT_EQ(split->board.parts.size(), part_places(scenario).size());
}

TEST(SplitSms, gives_the_critical_stream_a_share_and_the_others_the_rest) {
  const Scenario scenario = scenario_of(on_h100(camera_and_batch), nullptr, {});
  const auto split = partition_for_critical(scenario, gpu_of(scenario), 0.25);
  ASSERT_TRUE(split);
  EXPECT_THAT(partitions_in(*split), ElementsAre(Optional(40), Optional(rest_of_sms)));
  EXPECT_EQ(split->label, "40 SMs for camera");
  const Scenario equal = scenario_of(on_h100(loops), nullptr, {});
  EXPECT_FALSE(partition_for_critical(equal, gpu_of(equal), 0.25));  // none is critical
}

TEST(SplitSms, is_not_offered_without_green_contexts_or_with_a_lone_stream) {
  const Scenario old = scenario_of(
      "device: jetson-tx2\nprocesses: [{model: resnet50, precision: fp16, count: 2}]\n", nullptr, {});
  EXPECT_FALSE(equal_partitions(old, gpu_of(old)));
  const Scenario lone = scenario_of(on_h100(resnet + "}"), nullptr, {});
  EXPECT_FALSE(equal_partitions(lone, gpu_of(lone)));
  const Scenario shared =
      scenario_of(on_h100(resnet + ", streams: 2, arrivals: {periodic: 50 /s}}"), nullptr, {});
  EXPECT_FALSE(equal_partitions(shared, gpu_of(shared)));  // streams share requests
  const Scenario many = scenario_of(on_h100(resnet + ", streams: 17}"), nullptr, {});
  EXPECT_FALSE(equal_partitions(many, gpu_of(many)));
}

TEST(SplitSms, of_an_mps_scenario_is_without_mps) {
  const Scenario scenario = scenario_of(on_h100(loops) + "mps: true\n", nullptr, {});
  const auto split = equal_partitions(scenario, gpu_of(scenario));
  ASSERT_TRUE(split);
  EXPECT_EQ(split->board.scenario.sharing, gpu::Sharing::time_slicing);
}

TEST(SplitSms, is_among_the_what_ifs_and_says_who_wins) {
  const Scenario scenario = scenario_of(on_h100(camera_and_batch), nullptr, {});
  const Explanation explained = explain(
      {.scenario = scenario, .directory = "", .what_ifs = {"equal-partitions", "quarter-partition"}}, {});
  ASSERT_EQ(explained.tried.size(), 2U);
  for (const Tried& tried : explained.tried) {
    EXPECT_TRUE(tried.all_fit);
    EXPECT_EQ(tried.processes.size(), 2U);
    EXPECT_THAT(tried.outcomes.sentence, HasSubstr("batch"));
  }
  // A camera that has to wait for the turns of a batch job has SMs of its own.
  EXPECT_LT(explained.tried.back().processes.front().latency_ms.after.value(),
            explained.tried.back().processes.front().latency_ms.before.value());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
