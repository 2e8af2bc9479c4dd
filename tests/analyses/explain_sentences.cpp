// What explain() advises: by the metric that is asked for, with its figure, and nothing that the user asks
// for is taken away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analyses/explain/explain.hpp"
#include "tests/analyses/explained.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {

using namespace scenarios;
using namespace scenarios::testing;
namespace JOSTLE_FILE {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string camera =
    "device: jetson-orin-nano-super\nprocesses:\n"
    "  - {name: a, model: yolov8s, precision: fp16, arrivals: {periodic: 30 /s}}\nrun: {duration: 4 s}\n";
const std::string robot =
    "device: jetson-orin-nano-super\npower_mode: 15W\njetson_clocks: true\nprocesses:\n"
    "  - {name: detector, model: yolov8n, precision: fp16, arrivals: {periodic: 20 /s}, stages:\n"
    "     {before: [{name: resize, time: 6 ms}], after: [{name: publish, time: 8 ms}]}}\n"
    "  - {name: classifier, model: resnet50, precision: fp16, arrivals: {periodic: 20 /s}}\n"
    "  - {name: noise, load: busy}\nrun: {duration: 6 s}\n";
const std::string kernels =
    "device: jetson-agx-xavier\npower_mode: MAXN\njetson_clocks: true\nprocesses:\n"
    "  - {name: detection, model: {kernels: 100, duration: 180 us, blocks: 8, threads: 256}}\n"
    "  - {name: freespace, model: {kernels: 100, duration: 280 us, blocks: 8, threads: 256}}\n"
    "run: {duration: 4 s}\n";
const std::string big_and_small =
    "device: nvidia-h200\nprocesses:\n"
    "  - {name: big, model: resnet50, precision: fp16, batch: 16, runtime: cuda-graph, count: 2}\n"
    "  - {name: small, model: mobilenet_v2, precision: fp16, batch: 1, runtime: cuda-graph}\n"
    "run: {duration: 200 ms, warmup: 100 ms}\n";
const std::string limited =
    "device: nvidia-l4\npower_limit: 45 W\nprocesses:\n"
    "  - {model: resnet50, precision: fp16, batch: 8, runtime: cuda-graph, count: 2}\n"
    "run: {duration: 500 ms, warmup: 200 ms}\n";
const std::string overloaded =
    "device: jetson-nano\nprocesses:\n"
    "  - {model: yolov4_tiny, precision: fp16, arrivals: {periodic: 60 /s}}\nrun: {duration: 10 s}\n";

TEST(Aim, of_cameras_that_are_all_served_is_their_mean_latency) {
  const Explanation explanation = explained(camera);
  EXPECT_EQ(explanation.aim.name, "mean latency");
  const Tried& locked = tried(explanation, "pinned-clocks");
  EXPECT_EQ(locked.objective.after, locked.results.front().processes[0].latency_ms.mean);
  EXPECT_NEAR(locked.gain, 0.63, 0.03);
  EXPECT_THAT(locked.named(), StartsWith("jetson_clocks (mean latency -6"));
  EXPECT_EQ(explanation.leading.empty() ? "" : explanation.tried[explanation.leading.front()].what_if.name,
            "pinned-clocks");
}

TEST(Aim, is_the_rate_of_a_lone_loop_and_the_speed_of_unlike_ones) {
  EXPECT_EQ(explained(camera, {"processes.0.arrivals={clients: 1}"}).aim.name, "images/s");
  const Explanation unlike = explained(big_and_small);
  EXPECT_EQ(unlike.aim.name, "speed");
  const Tried& streams = tried(unlike, "as-streams");
  double product = 1;
  for (const ProcessChange& change : streams.processes) product *= 1 + *change.throughput.relative();
  EXPECT_NEAR(*streams.objective.after, std::cbrt(product), 1e-9);
}

TEST(Aim, that_names_a_process_takes_its_p99_and_not_the_worst) {
  const std::string long_run = "run.duration=30 s";  // enough answers for a p99
  const Explanation worst = explained(robot, {long_run});
  const Explanation asked = explained(robot, {long_run, "objective=processes.1.latency_ms.p99"});
  EXPECT_EQ(worst.aim.tail, "worst p99");
  EXPECT_EQ(asked.aim.name, "p99 of classifier");
  EXPECT_EQ(asked.aim.tail, asked.aim.name);
  const auto p99 = [](const Explanation& of, std::size_t i) {
    return of.result.processes[i].latency_ms.p99.value();
  };
  EXPECT_EQ(asked.tried.front().p99_ms.before, p99(asked, 1));
  EXPECT_EQ(asked.tried.front().objective.before, p99(asked, 1));
  EXPECT_EQ(worst.tried.front().p99_ms.before, std::max(p99(worst, 0), p99(worst, 1)));
  EXPECT_NE(p99(worst, 0), p99(worst, 1));
  const std::string json = explanation_json(asked);
  EXPECT_NE(json.find(R"("objective":{"name":"p99 of classifier","unit":"ms")"), std::string::npos);
}

TEST(Aim, that_the_run_has_no_value_of_is_said_to_be_missing) {
  const Explanation asked = explained(robot, {"objective=processes.1.latency_ms.p99", "run.duration=1 s"});
  EXPECT_EQ(asked.aim.missing, "p99 of classifier");
  EXPECT_EQ(asked.aim.name, "mean latency of detector");
}

TEST(Aim, of_several_that_are_served_is_the_latency_of_the_longest_or_of_the_one_that_a_limit_names) {
  const Explanation longest = explained(robot);
  EXPECT_EQ(longest.aim.name, "mean latency of detector");
  const Explanation limited = explained(robot, {"constraints={processes.1.latency_ms.p90: {max: 1 s}}"});
  EXPECT_EQ(limited.aim.name, "mean latency of classifier");
  for (const auto& [explanation, index] : {std::pair(&longest, 0U), {&limited, 1U}})
    for (const Tried& one : explanation->tried) {
      const ProcessChange& own = one.processes[index];
      EXPECT_EQ(one.objective.before, own.latency_ms.before);
      const bool known = own.status == "ok" && one.overloaded.empty();
      if (!known || (one.results.size() == 1 && !one.what_if.shares_otherwise)) {
        EXPECT_EQ(one.objective.after, known ? own.latency_ms.after : std::nullopt) << one.what_if.label;
      }
    }
}

TEST(Aim, that_is_a_latency_has_an_interval_and_what_is_within_it_is_no_gain) {
  std::size_t within = 0;
  for (const Tried& one : explained(robot).tried) {
    const Change& change = one.objective;
    if (!change.half_width || !change.after) continue;
    const bool chance = std::abs(*change.after - *change.before) <= *change.half_width;
    EXPECT_EQ(one.gain == 0, chance || change.after == change.before) << one.what_if.label;
    within += chance ? 1 : 0;
  }
  EXPECT_GT(within, 0U);
}

TEST(Explain, a_mean_over_processes_is_over_those_that_the_change_leaves_in) {
  const Explanation explanation = explained(robot, {"processes.1.count=2"});
  const Tried& fewer = tried(explanation, "one-process-fewer");
  double before = 0, after = 0, stay = 0;
  for (const ProcessChange& process : fewer.processes) {
    if (process.status == "absent") continue;
    before += *process.latency_ms.before;
    after += *process.latency_ms.after;
    ++stay;
  }
  ASSERT_EQ(stay, 2);
  EXPECT_NEAR(*fewer.latency_ms.before, before / stay, 1e-9);
  EXPECT_NEAR(*fewer.latency_ms.after, after / stay, 1e-9);
}

// The sentences of an explanation that name changes.
std::vector<std::string> advice_in(const Explanation& explanation) {
  std::vector<std::string> all;
  for (const Explained& group : explanation.groups) all.push_back(group.sentence);
  for (const ActiveLimit& limit : explanation.limits)
    all.push_back(limit.sentence.substr(0, limit.sentence.find("; not with")));
  if (explanation.critical) all.push_back(explanation.critical->sentence);
  if (explanation.overload)
    all.push_back(
        explanation.overload->sentence.substr(0, explanation.overload->sentence.find("; not with")));
  return all;
}

TEST(Advice, names_a_change_only_with_the_figure_of_the_table_and_only_if_the_objective_gains) {
  std::size_t named = 0;
  for (const std::string& text : {camera, robot, kernels, big_and_small, limited, overloaded})
    for (const std::string& set : {std::string("run.seed=1"), std::string("objective=system.power_w.mean")}) {
      const Explanation explanation = explained(text, {set});
      for (const std::string& sentence : advice_in(explanation))
        for (const Tried& each : explanation.tried) {
          if (sentence.find(" " + each.what_if.label + " ") == std::string::npos) continue;
          if (each.what_if.name == "no-limits") continue;  // a cause, told with its size
          ++named;
          EXPECT_THAT(sentence, HasSubstr(each.named()));
          EXPECT_TRUE(each.gain > 0 || each.worth.rescues) << sentence;
        }
    }
  EXPECT_GT(named, 6U);
}

TEST(Advice, never_takes_away_what_the_user_asks_for) {
  const std::set<std::string> asked_for{"no-stages", "no-loads", "one-process-fewer", "no-limits"};
  for (const std::string& text : {camera, robot, kernels, big_and_small, limited, overloaded}) {
    const Explanation explanation = explained(text);
    for (const std::size_t index : explanation.leading)
      EXPECT_FALSE(asked_for.contains(explanation.tried[index].what_if.name));
    for (const Explained& group : explanation.groups)
      EXPECT_THAT(group.sentence, Not(::testing::ContainsRegex("without|fewer")));
  }
  EXPECT_EQ(tried(explained(robot), "no-stages").what_if.role, Role::cause);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
