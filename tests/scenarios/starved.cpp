// Processes that were served nothing: a figure of 0, and a warning where there was work.
#include "scenarios/result/starved.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string on_orin(const std::string& processes, const std::string& rest = "") {
  return "device: jetson-orin-nano\nprocesses: [" + processes + "]\n" + rest;
}

// Two threads that spin at the same real-time priority on one core: the first never leaves it.
const std::string two_on_a_core =
    on_orin("{model: resnet50, precision: fp16, sync: spin, policy: {fifo: 99}, count: 2, cpus: [0]}");

TEST(Starved, behind_a_thread_that_never_leaves_the_core_has_no_images_and_a_warning) {
  const Result result = run_text(two_on_a_core);
  EXPECT_GT(result.processes[0].throughput.mean.value(), 100);
  EXPECT_EQ(result.processes[1].throughput.mean, 0.0);
  EXPECT_EQ(result.processes[1].images, 0.0);
  EXPECT_EQ(result.system.throughput, result.processes[0].throughput.mean);
  EXPECT_FALSE(result.processes[1].latency_ms.mean);
  EXPECT_THAT(result.warnings,
              Contains("process 1 served nothing in 4 s: it waited for a core for 100 % of the time"));
}

TEST(Starved, of_seven_that_compute_on_six_cores_is_one) {
  const Result result =
      run_text(on_orin("{model: mobilenet_v2, precision: fp32, runtime: ncnn, threads: 1, "
                       "policy: {fifo: 50}, count: 7}",
                       "jetson_clocks: true\n"));
  std::size_t starving = 0;
  for (const ProcessResult& process : result.processes) starving += process.throughput.mean == 0.0 ? 1 : 0;
  EXPECT_EQ(starving, starved(result).size());
  EXPECT_THAT(starved(result), ElementsAre(HasSubstr("it waited for a core for 100 % of the time")));
}

TEST(Starved, is_a_zero_in_json_and_csv) {
  const Result result = run_text(two_on_a_core);
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["processes"][1]["throughput"]["mean"], 0);
  EXPECT_EQ(json["processes"][1]["images"], 0);
  EXPECT_THAT(json["warnings"].front().get<std::string>(), HasSubstr("process 1 served nothing"));
  EXPECT_THAT(to_csv(result), HasSubstr(",ok,assumed,0,,,"));
}

TEST(Starved, in_every_replication_is_told_once_of_all) {
  const Result result = run_text(two_on_a_core + "run: {replications: 3, duration: 1 s}\n");
  EXPECT_EQ(result.processes[1].throughput.mean, 0.0);
  EXPECT_THAT(result.warnings,
              Contains("process 1 served nothing in 3 s: it waited for a core for 100 % of the time"));
}

TEST(Starved, of_requests_that_come_is_told_and_of_none_is_not) {
  const std::string hog = "{model: resnet50, precision: fp16, sync: spin, policy: {fifo: 99}, cpus: [0]}, ";
  const auto served = [&](const std::string& arrivals) {
    return run_text(on_orin(
        hog + "{model: resnet50, precision: fp16, policy: {fifo: 50}, cpus: [0], arrivals: " + arrivals +
        "}"));
  };
  const Result asked = served("{periodic: 10 /s}");
  EXPECT_EQ(asked.processes[1].throughput.mean, 0.0);
  EXPECT_EQ(asked.processes[1].stable, false);
  EXPECT_EQ(asked.processes[1].latency_ms.unfinished,
            60);  // since the start, two seconds before what is measured
  EXPECT_THAT(starved(asked), ElementsAre(HasSubstr("process 1 served nothing in 4 s")));
  const Result full = served("{periodic: 10 /s, queue: 3}");
  EXPECT_EQ(full.processes[1].drops, 40);
  EXPECT_THAT(starved(full), ElementsAre(HasSubstr("process 1 served nothing in 4 s")));
  const Result unasked = served("{periodic: 0.01 /s, phase: 50 s}");
  EXPECT_EQ(unasked.processes[1].throughput.mean, 0.0);
  EXPECT_EQ(unasked.processes[1].images, 0.0);
  EXPECT_THAT(starved(unasked), IsEmpty());
}

TEST(Starved, is_a_process_whose_first_batch_outlasts_the_run) {
  const Result result = run_text(
      on_orin("{model: resnet50, precision: fp32, batch: 64}", "run: {duration: 100 ms, warmup: 0 s}\n"));
  EXPECT_EQ(result.processes[0].throughput.mean, 0.0);
  EXPECT_THAT(starved(result),
              ElementsAre(AllOf(HasSubstr("process 0 served nothing in 0.1 s: it executed on the GPU for"),
                                HasSubstr("takes longer than that: give run: a longer duration"))));
}

TEST(Starved, is_who_waits_all_the_time_for_what_was_asked_during_the_warmup) {
  const Result result = run_text(
      on_orin("{model: resnet50, precision: fp16, cpus: [0], arrivals: {periodic: 1 /s, phase: 1 ms}}, "
              "{load: busy, cpus: [0], policy: {fifo: 50}}",
              "run: {duration: 300 ms, warmup: 100 ms}\n"));
  EXPECT_THAT(starved(result),
              ElementsAre(HasSubstr("process 0 served nothing in 0.3 s: it waited for a core")));
}

TEST(Starved, by_stages_with_threads_of_their_own_names_what_these_did) {
  const std::string camera =
      "model: resnet50, precision: fp16, overlap: 2, cpus: [0], arrivals: {periodic: 1 /s}, "
      "stages: {before: [{name: decode, time: 5 s}], after: []}}";
  const std::string run = "run: {duration: 2 s, warmup: 1.2 s}\n";
  const Result alone = run_text(on_orin("{" + camera, run));
  EXPECT_GT((*alone.processes[0].time_share)[index_of(process::Share::cpu_compute)], 0.999);
  EXPECT_THAT(
      starved(alone),
      ElementsAre("process 0 served nothing in 2 s: it computed on the cores for 100 % of the time, and "
                  "what was asked takes longer than that: give run: a longer duration"));
  const Result behind = run_text(on_orin(
      "{model: resnet50, precision: fp16, sync: spin, policy: {fifo: 99}, cpus: [0]}, {policy: {fifo: 50}, " +
          camera,
      run));
  EXPECT_THAT(starved(behind),
              ElementsAre("process 1 served nothing in 2 s: it waited for a core for 100 % of the time"));
}

TEST(Starved, for_want_of_time_after_a_late_request_had_little_to_do) {
  const Result result = run_text(
      "device: nvidia-h200\nprocesses: [{model: resnet50, precision: fp16, runtime: cuda-graph, "
      "arrivals: {periodic: 0.1 /s, phase: 1.1998 s, drift: 0 ppm}}]\nrun: {duration: 1 s, warmup: 0.2 s}\n");
  EXPECT_THAT(starved(result),
              ElementsAre(AllOf(HasSubstr("it had something to do for 0.0"), HasSubstr("% of that"))));
}

TEST(Starved, counts_no_part_of_a_batch_that_stopped_when_the_warmup_ended) {
  // The second process wakes up at 200 ms, and spins until a batch of seconds is done.
  const Result result = run_text(
      on_orin("{model: resnet18, precision: fp16, sync: spin, policy: {fifo: 50}, cpus: [0]}, "
              "{model: vgg16, precision: fp32, sync: spin, policy: {fifo: 99}, cpus: [0], batch: 64, "
              "arrivals: {periodic: 100 /s, phase: 200 ms}}",
              "run: {duration: 2 s, warmup: 250 ms}\n"));
  EXPECT_EQ(result.processes[0].images, 0.0);
  EXPECT_THAT(starved(result), Contains(HasSubstr("process 0 served nothing in 2 s: it waited for a core")));
}

const std::string in_a_small_container = ", container: {name: c, cpus: 0.05}";

TEST(Starved, is_nobody_whose_only_batch_ended_in_the_measured_time) {
  const Result result = run_text(
      "device: jetson-orin-nx-16gb\nprocesses:\n  - {model: {kernels: 21, duration: 406 us, blocks: 439, "
      "threads: 128}, sync: spin, count: 3" +
      in_a_small_container + "}\nrun: {seed: 473, duration: 100 ms, warmup: 100 ms, replications: 2}\n");
  for (const ProcessResult& process : result.processes) EXPECT_TRUE(process.throughput.mean) << process.index;
  EXPECT_GT(result.processes[0].throughput.mean.value(), 0);
  EXPECT_THAT(starved(result), Contains(HasSubstr("process 2 served nothing")));
}

TEST(Starved, is_who_only_waited_whatever_it_had_served_before) {
  const Result result = run_text(
      "device: nvidia-a40\nprocesses:\n  - {model: ssd300, precision: fp16, count: 45, arrivals: {poisson: "
      "300 /s, queue: 5, dynamic_batching: true}" +
      in_a_small_container + "}\nrun: {seed: 111, duration: 775 ms}\n");
  std::size_t unserved = 0;
  for (const ProcessResult& process : result.processes) {
    EXPECT_TRUE(process.throughput.mean) << process.index;
    const double waited = (*process.time_share)[index_of(process::Share::waiting_for_core)];
    if (process.batches > 0 || waited < 0.999) continue;
    ++unserved;
    EXPECT_EQ(process.images, 0.0) << process.index;
    EXPECT_THAT(starved(result),
                Contains(HasSubstr(fmt::format("process {} served nothing", process.index))));
  }
  EXPECT_GT(unserved, 2U);
}

TEST(Starved, is_not_what_does_not_fit) {
  const Result result = run_text(
      "device: jetson-nano\nprocesses: [{model: resnet50, precision: fp16, count: 30}]\n"
      "run: {duration: 200 ms}\n");
  EXPECT_EQ(result.processes.back().status, "out_of_memory");
  EXPECT_FALSE(result.processes.back().throughput.mean);
  EXPECT_THAT(starved(result), IsEmpty());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
