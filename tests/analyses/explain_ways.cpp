// One process or three, other ways of stages, and changes, alone or in pairs, that reach a limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analyses/explain/explain.hpp"
#include "analyses/explain/ways.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/analyses/explained.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {

using namespace scenarios;
using namespace scenarios::testing;
namespace JOSTLE_FILE {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string three =
    "device: jetson-agx-orin-64gb\nprocesses:\n"
    "  - {name: detector, model: yolov8n, precision: int8, arrivals: {periodic: 30 /s}}\n"
    "  - {name: segmenter, model: fcn_resnet50, precision: fp16, arrivals: {periodic: 10 /s}}\n"
    "  - {name: classifier, model: resnet50, precision: fp16, arrivals: {periodic: 30 /s}}\n"
    "run: {duration: 2 s}\n";
// A detector of a Python program.
std::string robot(const std::string& limits, const std::string& normalise = "{normalise: numpy}") {
  return "device: jetson-orin-nano\njetson_clocks: true\n" + limits +
         "processes:\n  - name: detector\n    model: yolov8n\n    precision: fp16\n"
         "    arrivals: {periodic: 10 /s, phase: 1 ms}\n    stages: [{resize: 640, size: 720p}, " +
         normalise + ", infer, {nms: numpy}]\nrun: {duration: 3 s}\n";
}

const Way& way(const Explanation& explanation, const std::string& name) {
  const auto found = std::ranges::find(explanation.ways, name, &Way::name);
  if (found == explanation.ways.end()) throw std::runtime_error("no such way: " + name);
  return *found;
}
std::vector<std::string> labels_of(const Explanation& explanation, const std::string& name) {
  std::vector<std::string> labels;
  for (const Tried& each : explanation.tried)
    if (each.what_if.name == name) labels.push_back(each.what_if.label);
  return labels;
}

TEST(Ways, of_three_networks_stand_side_by_side_with_memory_and_what_a_crash_takes) {
  const Explanation explanation = explained(three);
  const Way& now = explanation.ways.front();
  ASSERT_EQ(now.parts.size(), 3U);
  EXPECT_EQ(now.parts[1].label, "segmenter");
  EXPECT_EQ(now.parts[1].mean_ms, explanation.result.processes[1].latency_ms.mean);
  EXPECT_EQ(now.isolation, "a crash takes 1 of 3");
  const Way& one = way(explanation, "as-streams");
  EXPECT_EQ(one.isolation, "a crash takes all of 3");
  EXPECT_LT(one.memory_mb.value(), now.memory_mb.value());  // one context, not three
  EXPECT_EQ(one.parts[0].mean_ms, tried(explanation, "as-streams").processes[0].latency_ms.after);
  EXPECT_THAT(way(explanation, "mps").reason, HasSubstr("no MPS"));
  EXPECT_THAT(explanation_json(explanation), HasSubstr(R"("isolation":"a crash takes all of 3")"));
}

TEST(Ways, of_networks_with_stages_say_why_they_are_no_streams_of_one_process) {
  const Explanation explanation = explained(robot("") + "", {"processes.0.count=2"});
  EXPECT_THAT(way(explanation, "as-streams").reason, HasSubstr("stages"));
  EXPECT_THAT(way(explanation, "gpu-and-dla").reason, HasSubstr("no DLA"));
  EXPECT_TRUE(explained(robot("")).ways.empty());  // one network
}

// Five seeds draw five phases, so the ± of a numbered change holds what other seeds bring; p99 has one too.
TEST(Changes, that_lead_have_an_interval_over_pairs_of_seeds) {
  const std::string text =
      "device: jetson-orin-nano-super\njetson_clocks: true\nprocesses:\n"
      "  - {model: yolov8s, precision: fp16, arrivals: {periodic: 30 /s}}\n"
      "  - {model: resnet50, precision: fp16, batch: 4, arrivals: {periodic: 30 /s}}\n"
      "run: {duration: 16 s, warmup: 500 ms}\n";
  const Explanation explanation = explained(text);
  ASSERT_FALSE(explanation.leading.empty());
  const Tried& best = explanation.tried[explanation.leading.front()];
  ASSERT_TRUE(best.objective.half_width && best.p99_ms.half_width);
  for (const char* seed : {"run.seed=7", "run.seed=8"}) {
    const Explanation other = explained(text, {seed});
    const auto again =
        std::ranges::find(other.tried, best.what_if.name, [](const Tried& one) { return one.what_if.name; });
    ASSERT_NE(again, other.tried.end());
    EXPECT_NEAR(*again->objective.after - *again->objective.before,
                *best.objective.after - *best.objective.before, 3 * *best.objective.half_width)
        << seed;
  }
}

TEST(Changes, of_precision_name_the_networks_that_change_where_others_stay) {
  const Explanation explanation = explained(
      "device: jetson-orin-nano-super\nprocesses:\n"
      "  - {model: yolov8n, precision: int8, arrivals: {periodic: 30 /s}}\n"
      "  - {model: resnet50, precision: fp16, batch: 4}\nrun: {duration: 2 s, warmup: 500 ms}\n");
  EXPECT_EQ(tried(explanation, "precision-int8").what_if.label, "precision int8 of resnet50");
}

// A camera beside a batch job, which turns hold up.
std::string camera_and_batch(const std::string& device, const std::string& third = "") {
  return "device: " + device +
         "\njetson_clocks: true\nprocesses:\n"
         "  - {name: camera, model: yolov8s, precision: fp16, arrivals: {periodic: 30 /s}}\n"
         "  - {name: batch, model: resnet50, precision: fp16, batch: 32}\n" +
         third + "run: {duration: 2 s, warmup: 500 ms}\n";
}

TEST(Ways, have_instances_of_the_gpu_where_its_profile_lists_some) {
  const Explanation explanation = explained(camera_and_batch("nvidia-a30"));
  const Way& mig = way(explanation, "mig");
  EXPECT_EQ(mig.label, "MIG 2g + 2g");  // all SMs, one each
  EXPECT_EQ(mig.isolation, "a crash takes 1 of 2");
  EXPECT_EQ(mig.memory_mb, explanation.ways.front().memory_mb);
  EXPECT_LT(mig.parts[0].mean_ms.value(), 0.8 * explanation.ways.front().parts[0].mean_ms.value());
  EXPECT_LT(mig.parts[1].per_s.value(), 0.7 * explanation.ways.front().parts[1].per_s.value());
  // What a scenario gives that says so.
  std::string said = camera_and_batch("nvidia-a30\nsharing: {mig: [2g, 2g]}");
  said.replace(said.find("batch: 32"), 9, "batch: 32, mig: 1");
  const Result named = run_text(said);
  EXPECT_EQ(mig.parts[0].mean_ms, named.processes[0].latency_ms.mean);
  EXPECT_EQ(mig.parts[1].per_s, named.processes[1].throughput.mean);
  EXPECT_THAT(tried(explanation, "mig").outcomes.sentence,
              HasSubstr("an instance has a part of the SMs, of L2 and, on a card, of the bandwidth"));
}

TEST(Ways, deal_processes_out_over_instances_by_what_they_ask_of_the_gpu) {
  const std::string third =
      "  - {name: second, model: mobilenet_v2, precision: fp16, arrivals: {periodic: 30 /s}}\n";
  const Explanation card = explained(camera_and_batch("nvidia-a30", third));
  EXPECT_EQ(way(card, "mig").label, "MIG 1g + 1g + 2g");
  const auto& processes = tried(card, "mig").what_if.boards.front().scenario.processes;
  EXPECT_EQ(processes[1].gpu.mig, 2) << "the batch job has the largest";
  EXPECT_NE(processes[0].gpu.mig, processes[2].gpu.mig);
  // Thor has two at most: the cameras share one.
  const Explanation thor = explained(camera_and_batch("jetson-agx-thor", third));
  const auto& shared = tried(thor, "mig").what_if.boards.front().scenario;
  EXPECT_EQ(shared.mig, (std::vector<std::string>{"1g.0gb", "2g.0gb"}));
  EXPECT_EQ(shared.processes[0].gpu.mig, shared.processes[2].gpu.mig);
  EXPECT_EQ(way(thor, "mig").isolation, "a crash takes 1 of 3");
}

// The batch job's p99 is known after 2 s, the camera's is not.
TEST(Ways, never_give_a_network_the_p99_of_another_in_its_process) {
  const Explanation explanation = explained(camera_and_batch("nvidia-a30"));
  const Way& split = way(explanation, "equal-partitions");
  EXPECT_FALSE(split.parts[0].p99_ms && split.parts[0].p99_ms == split.parts[1].p99_ms);
  if (split.parts[0].p99_ms) {
    EXPECT_LT(*split.parts[0].p99_ms, 3 * split.parts[0].mean_ms.value());
  }
}

TEST(Ways, have_no_instances_where_there_are_none) {
  for (const Way& one : explained(three).ways) EXPECT_NE(one.name, "mig");
}

TEST(StageWays, are_what_a_scenario_that_names_them_gives) {
  const Explanation explanation = explained(robot(""));
  const auto labels = labels_of(explanation, "stage-way");
  ASSERT_THAT(labels, ::testing::Contains("normalise in C++"));
  ASSERT_THAT(labels, ::testing::Contains("normalise on the GPU"));
  EXPECT_THAT(labels, ::testing::Contains("nms in C++"));
  EXPECT_THAT(labels, ::testing::Contains("resize 640x640 on VIC"));
  for (const std::string& label : labels) EXPECT_THAT(label, Not(HasSubstr("numpy")));
  const auto found = std::ranges::find(explanation.tried, "normalise on the GPU",
                                       [](const Tried& one) { return one.what_if.label; });
  const Result named = run_text(robot("", "{normalise: gpu}"));
  EXPECT_EQ(found->latency_ms.after, named.processes[0].latency_ms.mean);
  EXPECT_LT(named.processes[0].latency_ms.mean.value(),
            explanation.result.processes[0].latency_ms.mean.value());
}

TEST(StageWays, on_the_gpu_are_tried_one_by_one_and_all_together) {
  const Explanation explanation = explained(robot(""));
  const auto all = std::ranges::find(explanation.tried, "stages-on-gpu",
                                     [](const Tried& one) { return one.what_if.name; });
  ASSERT_NE(all, explanation.tried.end());
  int on_gpu = 0;
  for (const Tried& one : explanation.tried)
    if (one.what_if.name == "stage-way" && one.what_if.label.ends_with("on the GPU")) {
      ++on_gpu;
      EXPECT_LT(all->latency_ms.after.value(), one.latency_ms.after.value()) << one.what_if.label;
    }
  EXPECT_GE(on_gpu, 2);
}

TEST(StageWays, of_a_stage_with_a_time_of_its_own_are_not_guessed) {
  const Explanation explanation = explained(robot("", "{normalise: numpy, time: 9 ms}"));
  for (const std::string& label : labels_of(explanation, "stage-way"))
    EXPECT_THAT(label, Not(HasSubstr("normalise")));
}

TEST(Reach, names_changes_that_meet_every_limit_and_tries_pairs_only_where_none_does) {
  const auto limit = [](double ms) {
    return "constraints: {processes.latency_ms.mean: {max: " + std::to_string(ms) + " ms}}\n";
  };
  const Explanation free = explained(robot(""));
  double best = 1e9;  // of the advised changes
  for (const Tried& each : free.tried) {
    if (each.what_if.role != Role::advice || !each.is_stable()) continue;
    best = std::min(best, each.results.front().processes[0].latency_ms.mean.value_or(best));
  }
  const Explanation single = explained(robot(limit(1.02 * best)));
  EXPECT_EQ(single.result.verdict->met, false);
  EXPECT_THAT(single.result.verdict->text, HasSubstr("; met with "));
  for (const Tried& each : single.tried) {
    EXPECT_NE(each.what_if.kind, ChangeKind::pair);
    if (each.meets != true) continue;
    EXPECT_LE(each.results.front().processes[0].latency_ms.mean.value(), 1.02 * best);
  }
  const Explanation pairs = explained(robot(limit(0.9 * best)));
  const auto pair =
      std::ranges::find(pairs.tried, ChangeKind::pair, [](const Tried& each) { return each.what_if.kind; });
  ASSERT_NE(pair, pairs.tried.end());
  EXPECT_THAT(pair->what_if.label, HasSubstr(" and "));
  const Result again = run(pair->what_if.boards.front().scenario, {}).value();
  EXPECT_EQ(json_of(again.processes.front()).dump(), json_of(pair->results.front().processes.front()).dump());
  const Explanation beyond = explained(robot(limit(0.01 * best)));
  EXPECT_THAT(beyond.result.verdict->text, HasSubstr("that were tried meets it, and none of "));
}

TEST(Changes, of_a_board_are_dearer_ones_with_a_faster_GPU_and_say_what_they_cost) {
  const Explanation explanation = explained(three, {"device=jetson-orin-nano-super"});
  ASSERT_FALSE(labels_of(explanation, "another-board").empty());
  const Tried& dearer = tried(explanation, "another-board");
  EXPECT_THAT(dearer.what_if.note, HasSubstr(" USD in place of 249"));
  EXPECT_NEAR(dearer.worth.boards, std::log(dearer.what_if.price), 1e-12);
  EXPECT_GT(dearer.what_if.price, 1);
}

TEST(Changes, of_batches_wait_for_more_only_as_long_as_requests_come_soon) {
  const auto soon = explained(three, {"processes.0.arrivals.periodic=300 /s"});
  EXPECT_EQ(tried(soon, "batch-with-delay").results.front().processes[0].batch, 4);
  EXPECT_EQ(tried(soon, "batch-with-delay").results.front().processes[1].batch,
            1);  // three at 10 /s are too long
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
