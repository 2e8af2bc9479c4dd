// Processes that work on a batch before and after inference: decoding, scaling, sorting boxes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <string>

#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;
using testing::run_text;
using testing::scenario_of;

// Inference takes 5 ms; the host runs at its reference clock.
std::string text(const std::string& stages, int count = 1) {
  return "device: nvidia-h200\n"
         "processes:\n"
         "  - {model: {kernels: 100, duration: 50 us, blocks: 132, threads: 256}, runtime: cuda-graph, "
         "count: " +
         std::to_string(count) + (stages.empty() ? "" : ", stages: " + stages) +
         "}\n"
         "run: {duration: 2 s}\n";
}

std::string refusal(const std::string& yaml) {
  input::Problems problems;
  EXPECT_FALSE(parse_scenario({yaml, "stages.yaml", ""}, shipped_catalogue(), {}, problems));
  return problems.text();
}

TEST(Stages, of_the_host_and_inference_follow_one_another) {
  const Result result = run_text(
      text("{before: [{name: decode, time: 10 ms}, {name: scale, time: 2 ms}], after: [{name: boxes, "
           "time: 8 ms}]}"));
  const ProcessResult& process = result.processes.front();
  EXPECT_NEAR(process.throughput.mean.value(), 1 / 0.025, 1);
  EXPECT_NEAR(process.latency_ms.mean.value(), 25, 0.6);  // nothing is enqueued ahead
  ASSERT_EQ(process.stages.size(), 3U);
  EXPECT_EQ(process.stages[1].name, "scale");
  EXPECT_NEAR(process.stages[0].ms.value(), 10, 0.3);
  EXPECT_NEAR(process.stages[1].ms.value(), 2, 0.1);
  EXPECT_NEAR(process.stages[2].ms.value(), 8, 0.3);
  EXPECT_NEAR(result.system.gpu.busy.value(), 0.2, 0.02);
}

TEST(Stages, of_one_process_are_hidden_behind_anothers_inference) {
  const std::string stages = "{before: [{name: decode, time: 5 ms}]}";
  const double one = run_text(text(stages)).system.throughput.value();
  const double three = run_text(text(stages, 3)).system.throughput.value();
  EXPECT_NEAR(one, 100, 3);
  EXPECT_GT(three, 1.6 * one);  // bounded by the GPU: 200 less its switches
  EXPECT_LT(three, 200);
}

TEST(Stages, on_the_gpu_are_kernels_beside_the_networks) {
  const Result plain = run_text(text("{before: [{name: decode, time: 5 ms}]}"));
  const Result more =
      run_text(text("{before: [{name: decode, time: 5 ms}, {name: scale, on: gpu, time: 5 ms}]}"));
  EXPECT_NEAR(1 / more.system.throughput.value() - 1 / plain.system.throughput.value(), 5e-3, 3e-4);
  EXPECT_GT(more.system.gpu.busy.value(), plain.system.gpu.busy.value() + 0.1);
  EXPECT_EQ(more.processes.front().stages.size(), 1U) << "those of the host are told";
}

TEST(Stages, wait_for_a_core_when_there_are_too_few) {
  const auto decode_ms = [](int count) {
    const std::string yaml = "host_cores: 1\n" + text("{before: [{name: decode, time: 20 ms}]}", count);
    return run_text(yaml).processes.front().stages.front().ms.value();
  };
  EXPECT_NEAR(decode_ms(1), 20, 1);
  EXPECT_GT(decode_ms(4), 40);
}

TEST(Stages, serve_requests_too) {
  const Result result = run_text(
      "device: nvidia-h200\n"
      "processes:\n"
      "  - model: {kernels: 100, duration: 50 us, blocks: 132, threads: 256}\n"
      "    runtime: cuda-graph\n"
      "    arrivals: {periodic: 20 /s}\n"
      "    stages: {after: [{name: boxes, time: 10 ms}]}\n");
  EXPECT_NEAR(result.system.throughput.value(), 20, 0.3);
  EXPECT_NEAR(result.processes.front().latency_ms.mean.value(), 15, 1);
}

RC_GTEST_PROP(Stages, take_time_in_proportion_and_leave_shares_whole, ()) {
  const int ms = *rc::gen::inRange(1, 60);
  const int batch = *rc::gen::inRange(1, 8);
  const Result result = run_text(
      "device: jetson-nano\nclocks: {cpu: 1479 MHz, gpu: 921.6 MHz}\n"
      "processes: [{model: alexnet, precision: fp16, batch: " +
      std::to_string(batch) + ", stages: {before: [{name: decode, time: " + std::to_string(ms) +
      " ms}]}}]\nrun: {batches: 20}\n");
  const ProcessResult& process = result.processes.front();
  const TimeShare share = process.time_share.value();
  RC_ASSERT(std::abs(std::accumulate(share.begin(), share.end(), 0.0) - 1) < 1e-9);
  const double expected = ms * batch;
  RC_ASSERT(std::abs(process.stages.front().ms.value() - expected) < 0.1 * expected);
}

TEST(Stages, come_back_from_the_resolved_scenario) {
  const Scenario first =
      scenario_of(text("{before: [{name: decode, time: 10 ms}, {name: scale, on: gpu, time: 2 ms}], after: "
                       "[{name: boxes, time: 8 ms}]}"));
  EXPECT_EQ(to_json(scenario_of(to_json(first))), to_json(first));
}

TEST(Stages, are_read_strictly) {
  EXPECT_THAT(refusal(text("{befor: []}")),
              HasSubstr("processes.0.stages.befor: unknown key (did you mean 'before'?)"));
  EXPECT_THAT(refusal(text("{before: [{name: decode}]}")),
              HasSubstr("processes.0.stages.before.0.time: missing required key"));
  EXPECT_THAT(refusal(text("{before: [{name: decode, time: 0 ms}]}")), HasSubstr("before.0.time"));
  EXPECT_THAT(refusal(text("{before: [{name: decode, time: 1 ms, on: dla}]}")),
              HasSubstr("'dla' is not a processor (one of cpu, gpu, nvdec, nvjpeg, vic, nvenc)"));
  EXPECT_THAT(refusal("device: jetson-nano\nprocesses: [{model: alexnet, precision: fp16, placement: cpu, "
                      "stages: {after: [{name: x, on: gpu, time: 1 ms}]}}]\n"),
              HasSubstr("a process with placement: cpu has no stage on the GPU"));
}

// Engines for pictures

std::string camera(const std::string& stages, const std::string& more = {}) {
  return "device: jetson-orin-nano-super\njetson_clocks: true\nprocesses:\n"
         "  - {model: {kernels: 10, duration: 100 us, blocks: 8, threads: 128}, runtime: cuda-graph, "
         "stages: " +
         stages + more + "}\nrun: {duration: 2 s}\n";
}

TEST(EngineStages, take_an_images_pixels_over_the_rate_of_the_profile_and_no_core) {
  // 684 288 000 pixels/s: 3.03 ms an image.
  const Result result =
      run_text(camera("{before: [{name: decode, on: nvdec, size: 1920x1080}]}", ", batch: 2"));
  const ProcessResult& process = result.processes.front();
  EXPECT_NEAR(process.stages.front().ms.value(), 2 * 3.03, 0.1);
  ASSERT_EQ(result.system.engines.size(), 1U);
  EXPECT_EQ(result.system.engines.front().name, "nvdec");
  EXPECT_NEAR(result.system.engines.front().busy.value(), process.throughput.mean.value() * 3.03e-3, 0.01);
  EXPECT_LT(result.system.cpu.busy_cores.value(), 0.2);
  const TimeShare& share = process.time_share.value();
  EXPECT_NEAR(share[index_of(process::Share::engine_running)], result.system.engines.front().busy.value(),
              1e-3);
  EXPECT_EQ(share[index_of(process::Share::engine_wait)], 0);
}

TEST(EngineStages, of_several_processes_are_served_one_at_a_time) {
  const Result four = run_text(camera("{before: [{name: scale, on: vic, time: 5 ms}]}", ", count: 4"));
  EXPECT_NEAR(four.system.throughput.value(), 200, 2);
  EXPECT_GT(four.system.engines.front().busy.value(), 0.99);
  for (const ProcessResult& process : four.processes) {
    EXPECT_NEAR(process.throughput.mean.value(), 50, 1) << "first come first served";
    EXPECT_GT((*process.time_share)[index_of(process::Share::engine_wait)], 0.5);
  }
}

TEST(EngineStages, on_different_engines_overlap_between_processes) {
  const Result result = run_text(camera(
      "{before: [{name: decode, on: nvdec, time: 5 ms}], after: [{name: encode, on: nvjpeg, time: 5 ms}]}",
      ", count: 4"));
  EXPECT_GT(result.system.throughput.value(), 150);
  EXPECT_EQ(result.system.engines.size(), 2U);
}

TEST(EngineStages, are_refused_by_boards_without_the_engine_and_where_the_size_is_missing) {
  const std::string h200 =
      "device: nvidia-h200\nprocesses:\n"
      "  - {model: resnet50, precision: fp16, runtime: cuda-graph, stages: {before: "
      "[{name: decode, on: nvdec, size: 1920x1080}]}}\n";
  EXPECT_THAT(refusal(h200), HasSubstr("processes.0.stages.before.0.on: nvidia-h200 has no nvdec"));
  EXPECT_THAT(refusal(camera("{before: [{name: decode, on: nvdec}]}")), HasSubstr("needs the size"));
  EXPECT_THAT(refusal(camera("{before: [{name: decode, on: nvdec, size: 1920}]}")),
              HasSubstr("not a size in pixels"));
  EXPECT_THAT(refusal(camera("{before: [{name: decode, on: nvdec, size: 8x8, time: 1 ms}]}")),
              HasSubstr("cannot be combined with size"));
  EXPECT_THAT(refusal(camera("{before: [{name: decode, on: gpu, size: 8x8}]}")),
              HasSubstr("needs an engine"));
  EXPECT_THAT(refusal(camera("{before: [{name: decode, on: nvdex, size: 8x8}]}")),
              HasSubstr("did you mean 'nvdec'?"));
}

TEST(EngineStages, are_written_back_as_they_were_read) {
  const Scenario scenario = scenario_of(
      camera("{before: [{name: decode, on: nvdec, size: 1920x1080}, {name: scale, on: vic, time: 2 ms}]}"));
  const std::string json = to_json(scenario);
  EXPECT_THAT(json, HasSubstr(R"({"name":"decode","on":"nvdec","size":"1920x1080"})"));
  EXPECT_EQ(to_json(scenario_of(json)), json);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
