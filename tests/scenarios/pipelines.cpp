// Stages that overlap, and stages around batches that are gathered.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "scenarios/run/run.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;
using testing::run_text;
using testing::scenario_of;

// Inference takes 5 ms a batch; the host runs at its reference clock.
std::string pipeline(const std::string& keys) {
  return "device: nvidia-h200\n"
         "processes:\n"
         "  - {model: {kernels: 100, duration: 50 us, blocks: 132, threads: 256}, runtime: cuda-graph, " +
         keys + "}\nrun: {duration: 4 s}\n";
}

const std::string three =
    "stages: {before: [{name: decode, time: 10 ms}], after: [{name: boxes, time: 8 ms}]}";

TEST(Pipeline, is_as_fast_as_its_slowest_stage) {
  const Result alone = run_text(pipeline(three));
  const Result overlapped = run_text(pipeline(three + ", overlap: 4"));
  EXPECT_NEAR(alone.system.throughput.value(), 1 / 0.023, 1);
  EXPECT_NEAR(overlapped.system.throughput.value(), 100, 2);
  // Little's law: four are under way all the time.
  EXPECT_NEAR(overlapped.processes.front().latency_ms.mean.value(), 4 / 100.0 * 1e3, 1.5);
}

TEST(Pipeline, of_which_one_frame_in_five_is_inferred_has_frames_a_second_beside_its_images) {
  const std::string keys = "stages: [{name: decode, time: 1 ms, times: 5}, infer]";
  const ProcessResult all = run_text(pipeline(keys)).processes.front();
  const ProcessResult fifth = run_text(pipeline(keys + ", interval: 4")).processes.front();
  EXPECT_EQ(fifth.throughput.mean, all.throughput.mean);
  EXPECT_DOUBLE_EQ(frames_per_s(fifth).value(), 5 * fifth.throughput.mean.value());
  EXPECT_FALSE(frames_per_s(all));
}

TEST(Pipeline, of_one_at_a_time_is_as_slow_as_all_stages) {
  const Result result = run_text(pipeline(three + ", overlap: 1"));
  EXPECT_NEAR(result.system.throughput.value(), 1 / 0.023, 1);
  EXPECT_NEAR(result.processes.front().latency_ms.mean.value(), 23, 0.6);
}

TEST(Pipeline, divides_a_stage_among_its_threads) {
  const std::string two =
      "stages: {before: [{name: decode, time: 10 ms, threads: 2}], after: [{name: boxes, time: 8 ms}]}, "
      "overlap: 6";
  EXPECT_NEAR(run_text(pipeline(two)).system.throughput.value(), 125, 3);
  EXPECT_NEAR(run_text("host_cores: 1\n" + pipeline(two + ", sync: blocking")).system.throughput.value(),
              1 / 0.018, 2)
      << "threads share a core";
}

TEST(Pipeline, serves_all_images_of_a_run_with_a_number_of_batches) {
  const std::string keys =
      "stages: [infer, {name: boxes, time: 20 ms}, {name: draw, time: 20 ms}], overlap: 4";
  const std::string text = pipeline(keys);
  for (const int batches : {1, 3, 10}) {
    const Result result =
        run_text(text.substr(0, text.find("run:")) + "run: {batches: " + std::to_string(batches) + "}\n");
    EXPECT_NEAR(result.processes.front().images.value(), batches, 1e-9);
  }
}

TEST(Pipeline, of_a_python_package_is_as_fast_as_its_maker_measured) {
  // roboflow/inference, Inference Benchmarks: an L4, an image a call; the stages are those of its code, and
  // nothing is fitted on them. ORT: numpy on whole photographs before, TensorRT: PyTorch on the GPU.
  struct Row {
    std::string model, size;
    double tensorrt, onnxruntime;  // images/s
  };
  std::vector<double> off;
  for (const Row& row : {Row{"rfdetr_nano", "384", 299.5, 103.5}, Row{"rfdetr_small", "512", 253.4, 57.4},
                         Row{"rfdetr_medium", "576", 201.8, 62.8}, Row{"rfdetr_large", "704", 160.5, 36.9},
                         Row{"rfdetr_xlarge", "700", 96.1, 18.1}, Row{"rfdetr_2xlarge", "880", 74.1, 17.4}}) {
    const auto rate = [&](const std::string& keys, const std::string& before) {
      return run_text("device: nvidia-l4\nprocesses:\n  - {model: " + row.model + ", " + keys +
                      ", stages: [" + before +
                      ", infer, {nms: numpy}, {call: python}]}\nrun: {duration: 4 s}\n")
          .system.throughput.value();
    };
    const double tensorrt = rate("precision: fp16, runtime: tensorrt",
                                 "{resize: " + row.size + ", size: 640x480}, {normalise: gpu}");
    const double onnxruntime =
        rate("precision: fp32, runtime: onnxruntime",
             "{normalise: numpy, size: 640x480}, {resize: " + row.size + "}, {colour: cpu}");
    EXPECT_NEAR(tensorrt, row.tensorrt, 0.25 * row.tensorrt) << row.model;
    off.push_back(std::abs(tensorrt / row.tensorrt - 1));
    off.push_back(std::abs(onnxruntime / row.onnxruntime - 1));
  }
  std::ranges::sort(off);
  EXPECT_LT(off[6], 0.15) << "the median";
}

TEST(Pipeline, tells_the_time_in_each_stage) {
  const Result result = run_text(pipeline(three + ", overlap: 4"));
  const auto& stages = result.processes.front().stages;
  ASSERT_EQ(stages.size(), 2U);
  EXPECT_NEAR(stages[0].ms.value(), 10, 0.3);
  EXPECT_NEAR(stages[1].ms.value(), 8, 0.3);
}

TEST(Pipeline, serves_cameras_in_batches_of_a_muxer) {
  const std::string cameras =
      "batch: 4, stages: {before: [{name: decode, time: 2 ms}], after: [{name: boxes, time: 1 ms}]}, "
      "overlap: 4, "
      "arrivals: {periodic: 30 /s, streams: 4}, max_queue_delay: 40 ms";
  const Result result = run_text(pipeline(cameras));
  const ProcessResult& process = result.processes.front();
  EXPECT_NEAR(process.throughput.mean.value(), 120, 1.5);
  EXPECT_EQ(process.drops, 0);
  EXPECT_NEAR(process.mean_batch.value(), 4, 0.3);
  EXPECT_GT(process.latency_ms.mean.value(), 8);
  EXPECT_LT(process.latency_ms.mean.value(), 2 + 40 + 5 + 4 + 2);
}

TEST(Pipeline, lets_requests_wait_and_drop_at_its_entrance) {
  const Result result = run_text(
      pipeline(three + ", overlap: 2, arrivals: {periodic: 200 /s, queue: {limit: 4, drop: oldest}}"));
  const ProcessResult& process = result.processes.front();
  // Two under way take 23 ms each, and a little more where they meet.
  EXPECT_LT(process.throughput.mean.value(), 2 / 0.0228);
  EXPECT_GT(process.throughput.mean.value(), 2 / 0.026);
  EXPECT_NEAR(static_cast<double>(process.drops) / 4 + process.throughput.mean.value(), 200, 2);
}

TEST(Pipeline, that_is_overloaded_is_told_with_its_stable_rate) {
  const ProcessResult over =
      run_text(pipeline(three + ", overlap: 4, arrivals: {poisson: 150 /s}")).processes.front();
  EXPECT_EQ(over.stable, false);
  EXPECT_NEAR(over.stable_rate.value(), 100, 3);
  const ProcessResult below =
      run_text(pipeline(three + ", overlap: 4, arrivals: {poisson: 70 /s}")).processes.front();
  EXPECT_EQ(below.stable, true);
}

TEST(Pipeline, stages_serve_gathered_batches_without_overlap_too) {
  const std::string gathered =
      "batch: 4, stages: {before: [{name: decode, time: 2 ms}], after: [{name: boxes, time: 1 ms}]}, "
      "arrivals: {periodic: 20 /s, streams: 4}, max_queue_delay: 20 ms";
  const Result result = run_text(pipeline(gathered));
  const ProcessResult& process = result.processes.front();
  EXPECT_NEAR(process.throughput.mean.value(), 80, 1);
  EXPECT_NEAR(process.stages[0].ms.value(), 2 * process.mean_batch.value(), 0.3)
      << "by the images of a batch";
}

TEST(Pipeline, stages_serve_several_streams) {
  const Result result = run_text(pipeline("streams: 2, " + three));
  // The host works 18 ms a batch, for one stream while the other's kernels run.
  EXPECT_NEAR(result.system.throughput.value(), 1 / 0.018, 1.5);
}

TEST(Pipeline, comes_back_from_the_resolved_scenario) {
  const Scenario first = scenario_of(pipeline(three + ", overlap: 3"));
  EXPECT_EQ(to_json(scenario_of(to_json(first))), to_json(first));
}

// Handing over to another thread costs a wake-up each time.
RC_GTEST_PROP(Pipeline, is_hardly_slower_than_without_and_never_faster_than_its_slowest_stage, ()) {
  const int before = *rc::gen::inRange(1, 20);
  const int after = *rc::gen::inRange(1, 20);
  const int under_way = *rc::gen::inRange(1, 6);
  const std::string stages = "stages: {before: [{name: a, time: " + std::to_string(before) +
                             " ms}], after: [{name: b, time: " + std::to_string(after) + " ms}]}";
  const double alone = run_text(pipeline(stages)).system.throughput.value();
  const double overlapped =
      run_text(pipeline(stages + ", overlap: " + std::to_string(under_way))).system.throughput.value();
  RC_ASSERT(overlapped > 0.93 * alone);
  RC_ASSERT(overlapped < 1.03e3 / std::max({before, after, 5}));
  RC_ASSERT(overlapped < 1.03e3 * under_way / (before + after + 5));
}

std::string refusal_of_pipeline(const std::string& keys) {
  input::Problems problems;
  EXPECT_FALSE(parse_scenario({pipeline(keys), "p.yaml", ""}, shipped_catalogue(), {}, problems));
  return problems.text();
}

TEST(Pipeline, is_read_strictly) {
  EXPECT_THAT(refusal_of_pipeline("overlap: 2"), HasSubstr("`overlap` needs stages on the CPU or an engine"));
  EXPECT_THAT(refusal_of_pipeline(three + ", overlap: 0"), HasSubstr("overlap"));
  EXPECT_THAT(refusal_of_pipeline(three + ", overlap: 2, after: x"),
              HasSubstr("processes.0.overlap: cannot be combined with after"));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
