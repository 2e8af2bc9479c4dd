// Words for stages: they become stages with the costs of the table, and what the user says comes first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "input/csv.hpp"
#include "profiles/tables/stage_costs.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;
using testing::run_text;
using testing::scenario_of;

// Inference takes 1 ms on a board with engines; clocks are pinned.
std::string words(const std::string& stages, const std::string& more = "") {
  return "device: jetson-orin-nano\npower_mode: 15W\njetson_clocks: true\n" + more +
         "processes:\n"
         "  - {model: {kernels: 10, duration: 100 us, blocks: 8, threads: 256}, runtime: cuda-graph, "
         "stages: " +
         stages + "}\nrun: {duration: 1 s, warmup: 200 ms}\n";
}

std::string refusal_of(const std::string& stages) {
  input::Problems problems;
  EXPECT_FALSE(parse_scenario({words(stages), "words.yaml", ""}, shipped_catalogue(), {}, problems));
  return problems.text();
}

const ProcessEntry entry_of(const std::string& stages) {
  return scenario_of(words(stages)).processes.front();
}

TEST(StageWords, become_stages_with_the_costs_of_the_table) {
  const ProcessEntry process = entry_of(
      "[{decode: h264, size: 1080p, on: nvdec}, {resize: 640, on: vic}, infer, {nms: cpu}, {track: iou}]");
  ASSERT_EQ(process.around.before.size(), 2U);
  ASSERT_EQ(process.around.after.size(), 2U);
  EXPECT_EQ(process.around.before[0].name, "decode h264");
  EXPECT_EQ(process.around.before[0].engine, media::Kind::nvdec);
  EXPECT_EQ(process.around.before[0].width, 1920);
  EXPECT_DOUBLE_EQ(process.around.before[0].rate, 0.62);
  EXPECT_EQ(process.around.before[1].name, "resize 640x640");
  EXPECT_EQ(process.around.before[1].width, 1920) << "the larger of input and output";
  EXPECT_DOUBLE_EQ(process.around.after[0].cycles, 60 * 8400) << "the candidates of a detector at 640 x 640";
  EXPECT_DOUBLE_EQ(process.around.after[1].cycles, 15'000 * 10);
  for (const Stage& stage : process.around.after) {
    EXPECT_EQ(stage.grade, "assumed");
    EXPECT_FALSE(stage.source.empty());
  }
}

TEST(StageWords, follow_the_size_of_the_image) {
  const ProcessEntry process = entry_of(
      "[{decode: h265, size: 4k, on: cpu}, {resize: 320x240}, {normalise: numpy}, infer, {display: cpu}]");
  EXPECT_DOUBLE_EQ(process.around.before[0].cycles, 32.0 * 3840 * 2160);
  EXPECT_DOUBLE_EQ(process.around.before[1].cycles, 12.0 * 320 * 240);
  EXPECT_DOUBLE_EQ(process.around.before[2].cycles, 40.0 * 320 * 240);
  EXPECT_DOUBLE_EQ(process.around.after[0].cycles, 6.0 * 3840 * 2160) << "what is shown is the whole frame";
}

TEST(StageWords, of_two_processors_become_two_stages) {
  const ProcessEntry process = entry_of("[infer, {track: nvdcf, objects: 4}]");
  ASSERT_EQ(process.around.after.size(), 2U);
  EXPECT_DOUBLE_EQ(process.around.after[0].cycles, 4 * 60'000);
  EXPECT_TRUE(process.around.after[1].on_gpu);
  EXPECT_DOUBLE_EQ(process.around.after[1].bytes, 4 * 2e6);
}

TEST(StageWords, give_way_to_a_time) {
  const ProcessEntry process = entry_of("[infer, {nms: cpu, time: 3 ms}]");
  EXPECT_EQ(process.around.after[0].time, sim::milliseconds(3));
  EXPECT_EQ(process.around.after[0].cycles, 0);
  EXPECT_TRUE(process.around.after[0].source.empty()) << "the table says nothing of it";
}

TEST(StageWords, come_back_as_what_they_became) {
  const std::string text = words(
      "[{decode: h264, size: 1080p}, {resize: 640, on: gpu, times: 2}, infer, {nms: numpy, threads: 3}, "
      "{draw: gpu}]");
  const Scenario first = scenario_of(text);
  EXPECT_EQ(to_json(scenario_of(to_json(first))), to_json(first));
  EXPECT_THAT(to_json(first), HasSubstr("\"cycles\":"));
  EXPECT_THAT(to_json(first), HasSubstr("\"rate\":\"62 %\""));
}

TEST(StageWords, take_cycles_over_clock_and_core) {
  const std::string stage = "{before: [{name: work, cycles: 15.104e6}]}";  // 10 ms at 1510.4 MHz
  const auto ms = [&](const std::string& more) {
    return run_text(words(stage, more)).processes.front().stages.front().ms.value();
  };
  EXPECT_NEAR(ms(""), 10, 0.5);
  EXPECT_NEAR(ms("clocks: {cpu: 729.6 MHz}\n"), 10 * 1510.4 / 729.6, 1);
  // A Cortex-A57 does 0.4 of the work a clock.
  const Result nano = run_text(
      "device: jetson-nano\npower_mode: MAXN\njetson_clocks: true\nprocesses:\n"
      "  - {model: {kernels: 10, duration: 100 us, blocks: 8, threads: 256}, runtime: cuda-graph, stages: " +
      stage + "}\nrun: {duration: 1 s}\n");
  EXPECT_NEAR(nano.processes.front().stages.front().ms.value(), 15.104e6 / 0.4 / 1479e6 * 1e3, 1.5);
}

TEST(StageWords, on_the_gpu_take_bytes_over_its_bandwidth) {
  const double without = run_text(words("{before: []}")).system.throughput.value();
  const double with =
      run_text(words("{before: [{name: copy, on: gpu, bytes: 61.47 MB}]}")).system.throughput.value();
  // 68.3 GB/s at 90 %, or what the GPU's clock lets it move.
  EXPECT_NEAR(1 / with - 1 / without, 1e-3, 0.25e-3);
}

TEST(StageWords, tell_grade_and_source_in_the_result) {
  const Result result = run_text(words("[{resize: 640, size: 1080p}, infer, {nms: cpu, time: 1 ms}]"));
  const auto& stages = result.processes.front().stages;
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_EQ(stages[0].grade, "assumed");
  EXPECT_THAT(stages[0].source, HasSubstr("bilinear"));
  EXPECT_TRUE(stages[1].grade.empty());
}

TEST(StageWords, are_read_strictly) {
  EXPECT_THAT(refusal_of("[{decode: h266, size: 1080p}, infer]"), HasSubstr("unknown way 'h266' of decode"));
  EXPECT_THAT(refusal_of("[{decode: h264}, infer]"),
              HasSubstr("the cost of decode needs the size of the image"));
  EXPECT_THAT(refusal_of("[{decode: h264, size: 1080q}, infer]"),
              HasSubstr("'1080q' is not a size in pixels"));
  EXPECT_THAT(refusal_of("[{decode: h264, size: 1080p, on: vic}, infer]"),
              HasSubstr("the cost of decode h264 on vic is not known (one of cpu, nvdec"));
  EXPECT_THAT(refusal_of("[{nms: cpu}]"), HasSubstr("the list has no `infer`"));
  EXPECT_THAT(refusal_of("[infer, {nms: cpu}, infer]"), HasSubstr("`infer` stands twice"));
  EXPECT_THAT(refusal_of("[{nms: cpu, draw: cpu}, infer]"),
              HasSubstr("nms and draw are stages of their own"));
  EXPECT_THAT(refusal_of("[infr]"), HasSubstr("'infr' is not a stage"));
  EXPECT_THAT(refusal_of("[{track: cpu}, infer]"), HasSubstr("the way of track must be said"));
  EXPECT_THAT(refusal_of("[{nms: cpu, on: gpu}, infer]"), HasSubstr("contradicts nms: cpu"));
  EXPECT_THAT(refusal_of("{before: [{name: a, cycles: 5, time: 1 ms}]}"),
              HasSubstr("cannot be combined with cycles"));
  EXPECT_THAT(refusal_of("{before: [{name: a, on: gpu, cycles: 5}]}"),
              HasSubstr("`cycles` are those of a core"));
  EXPECT_THAT(refusal_of("{before: [{name: a, bytes: 5 MB}]}"),
              HasSubstr("`bytes` are those that the GPU moves"));
}

TEST(StageWords, are_refused_with_one_problem_each) {
  EXPECT_EQ(refusal_of("[decode, infer]").find("stands twice"), std::string::npos);
  EXPECT_THAT(refusal_of("[infer, {draw: cpu, boxes: 7}]"),
              HasSubstr("the cost of draw does not depend on boxes"));
  EXPECT_EQ(refusal_of("[{decode: vp9, size: 1080p}, infer]").find("nvdec"), std::string::npos);
}

TEST(StageWords, have_each_a_grade_and_a_source) {
  EXPECT_GT(profiles::stage_costs().size(), 30U);
  for (const profiles::StageCost& cost : profiles::stage_costs()) {
    EXPECT_TRUE(cost.grade == "assumed" || cost.grade == "datasheet" || cost.grade == "measured")
        << cost.word;
    EXPECT_GT(cost.source.size(), 10U) << cost.word << " " << cost.way;
  }
  EXPECT_DOUBLE_EQ(profiles::instructions_per_clock("a78ae-0"), 1);
  EXPECT_DOUBLE_EQ(profiles::instructions_per_clock("no such core"), 1);
  EXPECT_THROW(
      (void)profiles::parse_stage_costs("word,way,on,per,cost,grade,source\na,,cpu,pxl,1,assumed,x\n", "t"),
      input::CsvError);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
