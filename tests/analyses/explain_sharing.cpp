// The same work in fewer processes or in more, and under MPS: what changes, and who wins and who starves.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "analyses/explain/explain.hpp"
#include "analyses/explain/merge.hpp"
#include "analyses/explain/parts.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {

using namespace scenarios;
using namespace scenarios::testing;
namespace JOSTLE_FILE {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string two =
    "device: nvidia-h200\n"
    "processes:\n"
    "  - {name: big, model: resnet50, precision: fp16, batch: 16, runtime: cuda-graph, count: 2}\n"
    "  - {name: small, model: mobilenet_v2, precision: fp16, batch: 1, runtime: cuda-graph}\n"
    "run: {duration: 200 ms, warmup: 100 ms}\n";
const std::string served =
    "device: nvidia-h200\n"
    "processes:\n"
    "  - {model: resnet50, precision: fp16, runtime: cuda-graph, count: 2, arrivals: {periodic: 100 /s}}\n"
    "  - {name: other, model: mobilenet_v2, precision: fp16, runtime: cuda-graph}\n"
    "run: {duration: 200 ms, warmup: 100 ms}\n";

Tried only_change(const std::string& text, const std::string& name) {
  const Scenario scenario = scenario_of(text, nullptr, {});
  Explanation explanation = explain({.scenario = scenario, .directory = "", .what_ifs = {name}}, {});
  if (explanation.tried.empty()) throw std::runtime_error("not tried: " + name);
  return std::move(explanation.tried.front());
}

bool is_offered(const std::string& text, const std::string& name) {
  const Scenario scenario = scenario_of(text, nullptr, {});
  return !explain({.scenario = scenario, .directory = "", .what_ifs = {name}}, {}).tried.empty();
}

TEST(AsStreams, puts_the_networks_of_all_processes_on_streams_of_one) {
  const auto board = as_streams(scenario_of(two, nullptr, {}));
  ASSERT_TRUE(board);
  ASSERT_EQ(board->scenario.processes.size(), 1U);
  const ProcessEntry& server = board->scenario.processes.front();
  EXPECT_EQ(server.count, 1);
  ASSERT_EQ(server.instances.size(), 2U);
  EXPECT_EQ(server.instances[0].name, "big");
  EXPECT_EQ(server.instances[0].work.batch, 16);
  EXPECT_EQ(server.instances[0].count, 2);
  EXPECT_EQ(server.instances[1].name, "small");
}

TEST(AsStreams, leaves_each_process_its_own_requests) {
  const auto board = as_streams(scenario_of(served, nullptr, {}));
  ASSERT_TRUE(board);
  const auto& instances = board->scenario.processes.front().instances;
  ASSERT_EQ(instances.size(), 3U);  // two streams of one instance would share the requests of one
  for (const ProcessEntry& instance : instances) EXPECT_EQ(instance.count, 1);
  const Tried tried = only_change(served, "as-streams");
  for (const std::size_t process : {0U, 1U})
    EXPECT_NEAR(tried.processes[process].throughput.after.value(), 100, 5);
}

TEST(AsStreams, a_stream_polls_if_any_of_the_processes_polled) {
  Scenario scenario = scenario_of(two, nullptr, {});
  scenario.processes[0].host.sync = Sync::blocking;
  scenario.processes[1].host.sync = Sync::spin;
  EXPECT_EQ(as_streams(scenario)->scenario.processes.front().host.sync, Sync::spin);
}

TEST(AsStreams, is_not_offered_where_processes_cannot_be_one) {
  EXPECT_TRUE(is_offered(two, "as-streams"));
  const auto with = [](const char* first, const char* second) {
    return fmt::format(
        "device: nvidia-h200\nprocesses:\n"
        "  - {{model: resnet50, precision: fp16, {}}}\n  - {{model: resnet50, precision: fp16, {}}}\n"
        "run: {{duration: 50 ms, warmup: 10 ms}}\n",
        first, second);
  };
  EXPECT_TRUE(is_offered(with("nice: 0", "nice: 0"), "as-streams"));
  EXPECT_FALSE(is_offered(with("nice: 0", "nice: 5"), "as-streams"));
  EXPECT_FALSE(is_offered(with("runtime: cuda-graph", "runtime: tensorrt"), "as-streams"));
  EXPECT_FALSE(is_offered(with("nice: 0", "training: true, runtime: libtorch"), "as-streams"));
  const auto on_cores = fmt::format(
      "device: jetson-orin-nano\nprocesses:\n  - {{model: resnet50, precision: fp16}}\n"
      "  - {{model: resnet50, precision: fp32, placement: cpu}}\nrun: {{duration: 50 ms, warmup: 10 ms}}\n");
  EXPECT_FALSE(is_offered(on_cores, "as-streams"));
}

TEST(AsProcesses, is_not_offered_where_streams_share_requests) {
  const std::string shared =
      "device: nvidia-h200\nprocesses:\n  - {model: resnet50, precision: fp16, streams: 2, runtime: "
      "cuda-graph, "
      "arrivals: {periodic: 50 /s}}\nrun: {duration: 50 ms, warmup: 10 ms}\n";
  EXPECT_FALSE(is_offered(shared, "as-processes"));
  EXPECT_FALSE(is_offered(two, "as-processes"));  // they are
}

// Every part after is one before, and none is two.
void expect_one_to_one(const WhatIfBoard& board, const Scenario& before) {
  const std::set<std::size_t> parts(board.parts.begin(), board.parts.end());
  EXPECT_EQ(parts.size(), part_places(before).size());
  EXPECT_EQ(board.parts.size(), part_places(before).size());
  EXPECT_EQ(part_places(board.scenario).size(), part_places(before).size());
}

RC_GTEST_PROP(AsStreams, and_as_processes_again_is_what_was, ()) {
  std::string text = "device: nvidia-h200\nprocesses:\n";
  const int entries = *rc::gen::inRange(1, 4);
  for (int i = 0; i < entries; ++i) {
    const int count = *rc::gen::inRange(i == 0 ? 2 : 1, 4);
    text +=
        fmt::format("  - {{name: p{}, model: resnet50, precision: fp16, batch: {}, count: {}, sync: spin}}\n",
                    i, *rc::gen::inRange(1, 9), count);
  }
  const Scenario before = scenario_of(text, nullptr, {});
  const auto streams = as_streams(before);
  RC_ASSERT(streams.has_value());
  expect_one_to_one(*streams, before);
  const auto back = as_processes(streams->scenario);
  RC_ASSERT(back.has_value());
  expect_one_to_one(*back, streams->scenario);
  RC_ASSERT(to_json(back->scenario) == to_json(before));
}

TEST(AsStreams, of_two_equal_servers_each_stream_has_its_counterpart) {
  const std::string servers =
      "device: nvidia-h200\nprocesses:\n  - runtime: cuda-graph\n    count: 2\n    instances:\n"
      "      - {name: a, model: resnet50, precision: fp16, count: 2}\n"
      "      - {name: b, model: mobilenet_v2, precision: fp16, arrivals: {periodic: 50 /s}}\n"
      "run: {duration: 200 ms, warmup: 50 ms}\n";
  const Scenario scenario = scenario_of(servers, nullptr, {});
  const auto one = as_streams(scenario);
  ASSERT_TRUE(one);
  expect_one_to_one(*one, scenario);
  const auto names = [](const Scenario& of) {
    std::vector<std::string> found;
    for (const PartPlace& place : part_places(of))
      found.push_back(parts_of(of.processes[place.id.entry])[place.id.part].name);
    return found;
  };
  const auto before = names(scenario), after = names(one->scenario);
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i], before[one->parts[i]]);
}

TEST(AsStreams, gives_the_same_when_run_by_itself) {
  for (const char* name : {"as-streams", "mps"}) {
    const Tried tried = only_change(two, name);
    EXPECT_EQ(to_json(run_text(tried.results.front().resolved)), to_json(tried.results.front())) << name;
  }
}

TEST(AsStreams, throughput_of_the_processes_adds_up_to_that_of_the_streams) {
  const Tried tried = only_change(two, "as-streams");
  double sum = 0;
  for (const ProcessChange& process : tried.processes) sum += process.throughput.after.value();
  EXPECT_NEAR(sum, tried.throughput.after.value(), 1e-6 * sum);
  EXPECT_GT(tried.throughput.after.value(),
            tried.throughput.before.value());  // small kernels fit side by side
}

TEST(AsProcesses, tells_of_each_stream_and_of_the_process) {
  const std::string streams =
      "device: nvidia-h200\nprocesses:\n  - {model: resnet50, precision: fp16, streams: 3, runtime: "
      "cuda-graph}\n"
      "run: {duration: 200 ms, warmup: 100 ms}\n";
  const Tried tried = only_change(streams, "as-processes");
  ASSERT_EQ(tried.processes.size(), 1U);
  ASSERT_EQ(tried.processes[0].instances.size(), 3U);
  double sum = 0;
  for (const ProcessChange& stream : tried.processes[0].instances) sum += stream.throughput.after.value();
  EXPECT_NEAR(tried.processes[0].throughput.after.value(), sum, 1e-6 * sum);
  EXPECT_THAT(tried.outcomes.sentence, AllOf(HasSubstr("resnet50"), HasSubstr("each turn costs a switch")));
}

// Of `two`, as if the streams had come out at these rates.
GroupOutcomes judged(const std::vector<double>& before, const std::vector<double>& after,
                     bool keeps_up = true) {
  const Scenario scenario = scenario_of(two, nullptr, {});
  Tried tried;
  tried.what_if.boards.push_back(as_streams(scenario).value());
  Result now, then;
  ProcessResult& server = then.processes.emplace_back();
  for (std::size_t i = 0; i < before.size(); ++i) {
    ProcessResult& process = now.processes.emplace_back();
    process.index = static_cast<std::int64_t>(i);
    process.throughput.mean = before[i];
    server.instances.emplace_back().throughput.mean = after[i];
  }
  server.instances.back().stable = keeps_up;
  tried.results.push_back(then);
  return outcomes_of(scenario, now, {{{0, 0}, 80.0}, {{1, 0}, 2.0}}, tried);
}

TEST(NoSwitchCost, helps_processes_on_DLAs_which_take_turns_on_the_GPU_to_convert_their_formats) {
  const Tried tried = only_change(
      "device: jetson-agx-orin-64gb\nprocesses:\n"
      "  - {model: resnet50, precision: int8, batch: 2, placement: dla0}\n"
      "  - {model: resnet50, precision: int8, batch: 2, placement: dla1}\n"
      "run: {duration: 200 ms, warmup: 100 ms}\n",
      "no-switch-cost");
  EXPECT_GT(tried.throughput.after.value(), 1.05 * tried.throughput.before.value());
}

TEST(GroupOutcomes, a_stream_of_short_kernels_starves_beside_one_of_long_kernels) {
  const GroupOutcomes found = judged({100, 100, 1000}, {150, 150, 200});
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(found.groups[0].fate, Fate::wins);
  EXPECT_EQ(found.groups[1].fate, Fate::starves);
  EXPECT_EQ(found.sentence,
            "big wins (+50.0 %), small starves (-80.0 %): each stream gets one kernel a round, whatever its "
            "length, and those of small are 40 times shorter than those of big");
}

TEST(GroupOutcomes, long_kernels_that_lose_are_not_put_down_to_their_length) {
  const GroupOutcomes found = judged({100, 100, 1000}, {80, 80, 1200});
  EXPECT_EQ(found.groups[0].fate, Fate::loses);
  EXPECT_THAT(found.sentence, AllOf(HasSubstr("big loses (-20.0 %)"), Not(HasSubstr("round"))));
}

TEST(GroupOutcomes, who_no_longer_keeps_up_starves) {
  const GroupOutcomes found = judged({100, 100, 1000}, {150, 150, 990}, false);
  EXPECT_EQ(found.groups[1].fate, Fate::starves);
  EXPECT_THAT(found.sentence, HasSubstr("small starves (it no longer keeps up with its requests)"));
}

TEST(GroupOutcomes, who_gains_and_loses_little_is_named_without_a_figure) {
  EXPECT_THAT(judged({100, 100, 1000}, {130, 130, 1020}).sentence,
              HasSubstr("big wins (+30.0 %), small stays as it is: "));
}

TEST(GroupOutcomes, a_few_percent_are_nobodys_gain) {
  EXPECT_EQ(judged({100, 100, 1000}, {102, 102, 980}).sentence, "nobody wins or loses 5 %");
}

TEST(GroupOutcomes, short_kernels_win_where_processes_take_turns_again) {
  const Scenario streams = as_streams(scenario_of(two, nullptr, {}))->scenario;
  Tried tried;
  tried.what_if.boards.push_back(as_processes(streams).value());
  Result now, then;
  ProcessResult& server = now.processes.emplace_back();
  for (const double rate : {150.0, 150.0, 200.0}) server.instances.emplace_back().throughput.mean = rate;
  for (const double rate : {100.0, 100.0, 1000.0}) then.processes.emplace_back().throughput.mean = rate;
  tried.results.push_back(then);
  const GroupOutcomes found = outcomes_of(streams, now, {{{0, 0}, 80.0}, {{0, 1}, 2.0}}, tried);
  EXPECT_THAT(found.sentence, HasSubstr("turns are as long for short kernels as for long ones"));
}

TEST(GroupOutcomes, kernels_are_measured_by_their_mean_duration_alone_on_the_GPU) {
  const std::string kernels =
      "device: nvidia-h200\nprocesses:\n  - runtime: cuda-graph\n    instances:\n"
      "      - {model: {kernels: 10, duration: 5 us, blocks: 32, threads: 128}}\n"
      "      - {model: {kernels: 3, duration: 200 us, blocks: 32, threads: 128}}\n";
  const Scenario scenario = scenario_of(kernels, nullptr, {});
  input::Problems problems;
  const auto profile = device_profile(scenario, problems);
  ASSERT_TRUE(profile);
  const KernelMeans means = kernel_means_us(scenario, *profile);
  EXPECT_NEAR(means.at({0, 0}), 5, 0.5);
  EXPECT_NEAR(means.at({0, 1}), 200, 5);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
