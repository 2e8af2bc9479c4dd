// Verdicts: the limit that decides, how sure it is, and the smallest change that breaks it.
#include "analyses/verdict/verdict.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "analyses/compare/compare.hpp"
#include "analyses/explain/explain.hpp"
#include "analyses/verdict/slower.hpp"
#include "input/counted.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/result/starved.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::analyses {

using namespace scenarios;
using namespace scenarios::testing;
namespace JOSTLE_FILE {

using ::testing::HasSubstr;
using ::testing::Not;

// A camera beside a network in a closed loop, and limits of both.
std::string gate(const std::string& limits, const std::string& rate = "20 /s") {
  return "device: jetson-orin-nano\njetson_clocks: true\n" + limits +
         "processes:\n  - {name: loop, model: mobilenet_v2, precision: fp16, count: 2}\n"
         "  - {name: camera, model: resnet50, precision: fp16, arrivals: {periodic: " +
         rate + ", phase: 1 ms}}\nrun: {duration: 10 s, warmup: 200 ms}\n";
}

// What the loader says of a scenario that it refuses.
std::string problem_of(const std::string& text) {
  try {
    (void)scenario_of(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "read";
}

Result judged_run(const std::string& text) {
  return run_and_judge(scenario_of(text), {}).value();
}

TEST(Verdict, names_the_limit_that_decides_its_entry_and_how_far_boards_may_be) {
  const Result result = judged_run(
      gate("constraints: {processes.1.latency_ms.p90: {max: 900 ms}, system.power_w: {max: 90 W}}\n"));
  ASSERT_TRUE(result.verdict);
  const Verdict& verdict = *result.verdict;
  ASSERT_EQ(verdict.limits.size(), 2U);
  EXPECT_EQ(verdict.limits[0].value, result.processes[2].latency_ms.p90);  // entry 1, process 2
  EXPECT_EQ(verdict.limits[0].words, "camera p90");
  EXPECT_EQ(verdict.limits[1].value, result.system.power_w.mean);
  EXPECT_EQ(verdict.met, true);
  const Result missed = judged_run(
      gate("constraints: {processes.1.latency_ms.p90: {max: 900 ms}, system.power_w: {max: 1 W}}\n"));
  EXPECT_EQ(missed.verdict->met, false);
  EXPECT_EQ(missed.verdict->metric, "system.power_w");
  EXPECT_FALSE(missed.verdict->breaks);
  EXPECT_THAT(missed.verdict->text, HasSubstr("grade " + *missed.processes[0].grades.power));
  EXPECT_THAT(missed.verdict->text, HasSubstr(", under 1: no; 1 other limit met"));
}

// Requests that come at random have another p99 with each seed; regular ones hardly.
TEST(Verdict, tells_how_the_draw_of_requests_moves_it_and_in_how_many_draws_the_limit_holds) {
  const auto asked = [](const char* arrivals, double most) {
    return fmt::format(
        "device: jetson-orin-nano\njetson_clocks: true\nconstraints: {{processes.0.latency_ms.p99: {{max: {} "
        "ms}}}}\n"
        "processes: [{{name: camera, model: resnet50, precision: fp16, arrivals: {{{}: 60 /s}}}}]\n"
        "run: {{duration: 8 s, warmup: 200 ms}}\n",
        most, arrivals);
  };
  const Result open = judged_run(asked("poisson", 1000));
  const Judged& one = open.verdict->limits.at(0);
  ASSERT_TRUE(one.range);
  EXPECT_EQ(one.draws, 5);
  EXPECT_EQ(one.draws_met, 5);
  ASSERT_GT(one.range->second, 1.1 * one.range->first);
  EXPECT_THAT(open.verdict->text, HasSubstr(" by the draw of requests"));
  EXPECT_TRUE(open.verdict->breaks);
  const double between = (one.range->first + one.range->second) / 2;
  const Result near = judged_run(asked("poisson", between));
  const Judged& split = near.verdict->limits.at(0);
  EXPECT_GT(split.draws_met, 0);
  EXPECT_LT(split.draws_met, 5);
  EXPECT_THAT(near.verdict->text, HasSubstr(" of 5 draws of the requests"));
  EXPECT_FALSE(near.verdict->breaks);
  EXPECT_THAT(judged_run(asked("periodic", 1000)).verdict->text, Not(HasSubstr("draw")));
}

// Locked clocks leave a camera little room, governors that clock up leave it much, though it is as busy.
TEST(Room, is_what_runs_of_slower_boards_find_so_governors_answer) {
  const auto asked = [](const std::string& clocks, int rate) {
    return scenario_of(
        fmt::format("device: jetson-orin-nano-super\npower_mode: 15W\n{}processes: [{{name: camera, model: "
                    "yolov8s, precision: "
                    "fp16, arrivals: {{periodic: {} /s}}}}]\nrun: {{duration: 4 s, warmup: 2 s}}\n",
                    clocks, rate));
  };
  const Scenario locked = asked("jetson_clocks: true\n", 75);
  const Result little = run_and_judge(locked, {}).value();
  ASSERT_EQ(little.processes[0].stable, true);
  ASSERT_TRUE(little.room) << *busy_share(little, little.processes[0]);
  const Result slower = run(on_slower_board(locked, 1 + little.room->slower), {}).value();
  EXPECT_EQ(slower.processes[little.room->process].stable, false);
  EXPECT_EQ(run(on_slower_board(locked, 1 + 0.7 * little.room->slower), {}).value().processes[0].stable,
            true);
  const Result governed =
      run_and_judge(
          scenario_of("device: jetson-orin-nano-super\npower_mode: 15W\nprocesses: [{name: detector, model: "
                      "yolov8n, precision: fp16, arrivals: {periodic: 20 /s}, stages: [{publish: ros2, size: "
                      "1280x720}, {resize: 640}, {normalise: numpy}, infer, {nms: numpy}]}]\n"
                      "run: {duration: 4 s, warmup: 2 s}\n"),
          {})
          .value();
  EXPECT_GT(busy_share(governed, governed.processes[0]).value(), 1 / 1.3);
  EXPECT_FALSE(governed.room);
}

TEST(Verdict, of_all_processes_is_that_on_the_worst) {
  const Result result = judged_run(gate("constraints: {processes.throughput: {min: 1}}\n"));
  double least = 1e9;
  for (const ProcessResult& process : result.processes)
    least = std::min(least, process.throughput.mean.value());
  EXPECT_EQ(result.verdict->value, least);
}

// The rate at which the limit breaks is one that breaks it when it is run, and the step before does not.
TEST(Verdict, what_breaks_a_limit_breaks_it_when_it_is_run_and_a_little_less_does_not) {
  const auto alone = [&](double rate) {
    return "device: jetson-orin-nano\njetson_clocks: true\nconstraints: {processes.latency_ms.p90: {max: 60 "
           "ms}}\n"
           "processes:\n  - {model: resnet50, precision: fp16, arrivals: {periodic: " +
           fmt::format("{}", rate) +
           " /s, phase: 1 ms}, stages: [{name: prepare, time: 15 ms}, infer]}\n"
           "run: {duration: 4 s, warmup: 200 ms}\n";
  };
  const Result result = judged_run(alone(30));
  ASSERT_EQ(result.verdict->met, true) << result.verdict->text;
  ASSERT_TRUE(result.verdict->breaks) << result.verdict->text;
  ASSERT_TRUE(result.verdict->breaks->by) << result.verdict->text;
  EXPECT_EQ(result.verdict->breaks->change, "requests come more often") << result.verdict->text;
  const double by = *result.verdict->breaks->by;
  EXPECT_EQ(judged_run(alone(30 * (1 + by))).verdict->met, false);
  EXPECT_EQ(judged_run(alone(30 * (1 + 0.8 * by))).verdict->met, true);
  EXPECT_THAT(result.verdict->text,
              HasSubstr(fmt::format("breaks if requests come {:.0f} % more often", 100 * by)));
}

TEST(Verdict, is_no_where_a_lower_percentile_is_above_the_limit_already) {
  const Result result = judged_run(
      "device: jetson-orin-nano\nconstraints: {processes.0.latency_ms.p99: {max: 1 ms}}\n"
      "processes: [{name: cam, model: yolov8n, precision: fp16, arrivals: {periodic: 10 /s}}]\n"
      "run: {duration: 2 s, warmup: 200 ms}\n");
  EXPECT_EQ(result.verdict->met, false);
  EXPECT_THAT(result.verdict->text, HasSubstr("cam p99 (at least its p"));
  EXPECT_THAT(result.verdict->question, HasSubstr("keep cam p99 under 1 ms"));
}

TEST(Verdict, of_a_network_on_the_cores_breaks_as_their_clocks_fall) {
  const auto with = [](const std::string& limits) {
    return judged_run("device: raspberry-pi-5\ngovernors: {cpu: performance}\n" + limits +
                      "processes: [{model: mobilenet_v2, precision: fp32, runtime: tflite, threads: 4, "
                      "arrivals: {periodic: 10 /s}}]\nrun: {duration: 10 s, warmup: 200 ms}\n");
  };
  const double p90 = with("").processes[0].latency_ms.p90.value();
  const Result result =
      with(fmt::format("constraints: {{processes.latency_ms.p90: {{max: {} ms}}}}\n", 1.21 * p90));
  ASSERT_TRUE(result.verdict->breaks) << result.verdict->text;
  EXPECT_EQ(result.verdict->breaks->change, "the clocks of cores and GPU are lower");
  // What is bound by memory does not wait for clocks: a little more than 1 - 1 / 1.21.
  const double by = result.verdict->breaks->by.value_or(0);
  EXPECT_TRUE(by > 1 - 1 / 1.2 && by < 0.3) << result.verdict->text;
}

TEST(Verdict, of_requests_of_a_trace_breaks_as_they_come_more_often) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     fmt::format("jostle_verdict_{}.csv", static_cast<const void*>(&file));
  {
    std::ofstream stream(file);
    for (int i = 0; i < 600; ++i) stream << 0.001 + i / 30.0 << "\n";
  }
  const Result result = judged_run(
      "device: jetson-orin-nano\njetson_clocks: true\nconstraints: {processes.latency_ms.p90: {max: 60 ms}}\n"
      "processes: [{model: resnet50, precision: fp16, arrivals: {trace: " +
      file.string() + "}, stages: [{name: prepare, time: 15 ms}, infer]}]\n" +
      "run: {duration: 4 s, warmup: 200 ms}\n");
  std::filesystem::remove(file);
  ASSERT_TRUE(result.verdict->breaks) << result.verdict->text;
  EXPECT_EQ(result.verdict->breaks->change, "requests come more often");
}

TEST(Verdict, of_a_limit_that_nothing_breaks_says_what_was_tried) {
  const Result result = judged_run(gate("constraints: {system.power_w: {max: 500 W}}\n"));
  ASSERT_TRUE(result.verdict->breaks);
  EXPECT_FALSE(result.verdict->breaks->by);
  EXPECT_THAT(
      result.verdict->text,
      HasSubstr("it also holds with twice the requests or networks twice as slow or half the clocks"));
  EXPECT_THAT(result.verdict->text, Not(HasSubstr("stages")));  // it has none
}

TEST(Verdict, begins_with_what_was_asked_networks_board_and_limit) {
  const auto asked = [](const std::string& limits) {
    const Result result = judged_run(gate(limits));
    return result.verdict->question;
  };
  EXPECT_THAT(asked("constraints: {processes.1.latency_ms.p90: {max: 900 ms}}\n"),
              ::testing::MatchesRegex("Does jetson-.*, keep camera p90 under 900 ms, running .*resnet.*"));
  EXPECT_THAT(asked("constraints: {processes.latency_ms.p90: {max: 900 ms}, system.power_w: {max: 50 W}}\n"),
              HasSubstr("keep p90 of each under 900 ms and "));
  EXPECT_THAT(asked("objective: processes.1.latency_ms.mean\n"),
              ::testing::MatchesRegex("How many images a second do .* and .* get on jetson-.*"));
  EXPECT_EQ(input::listed({"p90", "p95", "p99"}), "p90, p95 and p99");
}

TEST(Verdict, names_the_limit_that_breaks_first_of_several_and_the_seeds_it_is_judged_on) {
  const std::string text =
      "device: jetson-orin-nano\njetson_clocks: true\n"
      "constraints: {processes.latency_ms.p90: {max: 60 ms}, system.power_w: {max: 500 W}}\n"
      "processes:\n  - {model: resnet50, precision: fp16, arrivals: {periodic: 30 /s, phase: 1 ms}, "
      "stages: [{name: prepare, time: 15 ms}, infer]}\nrun: {duration: 4 s, warmup: 200 ms";
  const Result result = judged_run(text + "}\n");
  ASSERT_TRUE(result.verdict->breaks) << result.verdict->text;
  EXPECT_THAT(result.verdict->text, HasSubstr("; resnet50 p90 breaks if requests come "));
  EXPECT_THAT(result.verdict->text, HasSubstr(" % more often (seed 1 alone)"));
  EXPECT_THAT(judged_run(text + ", replications: 2}\n").verdict->text,
              HasSubstr(" % more often (over 2 seeds)"));
}

TEST(Verdict, of_latency_that_grows_is_no) {
  const Result result =
      judged_run(gate("constraints: {processes.1.latency_ms.p90: {max: 900 ms}}\n", "2000 /s"));
  EXPECT_EQ(result.verdict->met, false);
  EXPECT_EQ(result.verdict->value, std::nullopt);
  EXPECT_THAT(result.verdict->text, HasSubstr(" of 2000 images/s are served, under 900: no"));
}

TEST(Verdict, of_a_run_without_limits_is_none_and_the_run_stays_as_it_was) {
  const Scenario scenario = scenario_of(gate(""));
  EXPECT_EQ(to_json(run_and_judge(scenario, {}).value()), to_json(run(scenario, {}).value()));
  const Result objective = judged_run(gate("objective: processes.1.latency_ms.mean\n"));
  EXPECT_EQ(objective.verdict->met, std::nullopt);
  EXPECT_THAT(objective.verdict->text, HasSubstr("camera mean latency "));
}

TEST(Verdict, whose_interval_reaches_over_the_limit_holds_not_on_every_board) {
  Judged one;
  one.words = "detector p99";
  one.unit = "ms";
  one.value = 32;
  one.limit = 50;
  one.met = true;
  EXPECT_EQ(sentence_of(one, "real boards differ by some 25 %, grade fitted"),
            "detector p99 32 ms (real boards differ by some 25 %, grade fitted), under 50: yes");
  one.pi90 = {22.0, 47.0};
  EXPECT_EQ(sentence_of(one, "unused"), "detector p99 32 ms (9 of 10 boards: 22 to 47), under 50: yes");
  one.pi90 = {22.0, 57.0};
  EXPECT_THAT(sentence_of(one, ""), HasSubstr(": yes, but not on every board"));
}

TEST(Verdict, of_a_comparison_tells_both_sides_and_of_an_explanation_is_that_of_the_run) {
  const std::string limits = "constraints: {processes.1.latency_ms.p90: {max: 900 ms}}\n";
  const Scenario a = scenario_of(gate(limits)), b = scenario_of(gate("", "10 /s"));
  const Compared both = compare(a, b, {.most = 2}, {});
  ASSERT_TRUE(both.verdict);
  EXPECT_THAT(both.verdict->text, ::testing::MatchesRegex("B: camera p90 .*: yes; A: camera p90 .*: yes"));
  const Explanation why = explain({.scenario = a, .directory = "", .what_ifs = {"sync-spin"}}, {});
  EXPECT_EQ(why.result.verdict->text, judged_run(gate(limits)).verdict->text);
  EXPECT_THAT(explanation_json(why), HasSubstr(R"("text":"camera p90)"));
}

TEST(Constraints, of_a_scenario_are_strict_and_read_back) {
  const std::string limits =
      "constraints: {processes.1.latency_ms.p90: {max: 0.05 s}, processes.throughput: {min: 3}}\n";
  const Scenario scenario = scenario_of(gate(limits));
  ASSERT_EQ(scenario.constraints.size(), 2U);
  EXPECT_DOUBLE_EQ(scenario.constraints[0].max.value(), 50);
  const std::string json = to_json(scenario);
  EXPECT_THAT(json, HasSubstr(R"("constraints":{"processes.1.latency_ms.p90":{"max":"50 ms"})"));
  EXPECT_EQ(to_json(scenario_of(json)), json);
  EXPECT_THAT(problem_of(gate("constraints: {processes.1.latency_ms.p9z: {max: 5 ms}}\n")),
              HasSubstr("processes.1.latency_ms.p90"));
  EXPECT_THAT(problem_of(gate("constraints: {processes.4.latency_ms.p90: {max: 5 ms}}\n")),
              HasSubstr("there is no processes.4"));
  EXPECT_THAT(problem_of(gate("constraints: {system.power_w: {max: 5 ms}}\n")), HasSubstr("5 ms"));
  EXPECT_THAT(problem_of(gate("constraints: {system.power_w: {most: 5 W}}\n")), HasSubstr("most"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::analyses
