// A scenario in words names what decides its result.
#include "scenarios/language/in_words.hpp"

#include <gtest/gtest.h>

#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

TEST(InWords, name_board_mode_cap_and_each_process) {
  const InWords words = in_words(to_json(*testing::load_text(R"(
device: jetson-orin-nano
power_mode: 15W
power_cap: {budget: 9 W}
processes:
  - {model: resnet50, precision: int8, batch: 4, count: 2}
  - {name: gate, model: yolov8n, precision: fp16, arrivals: {periodic: 30 /s}}
  - {load: busy, threads: 2}
run: {duration: 500 ms, seed: 7}
)")
                                              .scenario));
  EXPECT_EQ(words.board, "jetson-orin-nano, power mode 15W, power capped at 9 W");
  EXPECT_EQ(words.processes,
            (std::vector<std::string>{"2 x resnet50 int8, batch 4, tensorrt, one batch after the other",
                                      "gate: yolov8n fp16, batch 1, tensorrt, 30 /s at regular times",
                                      "background load busy, threads: 2"}));
  EXPECT_EQ(words.run, "500 ms simulated, seed 7");
}

TEST(InWords, name_the_instances_of_a_process_and_what_language_models_are_asked) {
  const InWords words = in_words(to_json(*testing::load_text(R"(
device: nvidia-h200
processes:
  - name: server
    runtime: cuda-graph
    instances:
      - {model: resnet50, precision: fp16, batch: 4, priority: low}
      - {name: classifier, model: mobilenet_v2, precision: fp16, batch: 8, arrivals: {poisson: 400 /s}}
run: {duration: 500 ms}
)")
                                              .scenario));
  ASSERT_EQ(words.processes.size(), 1U);
  EXPECT_EQ(words.processes.front(),
            "server with cuda-graph, resnet50 fp16, batch 4, low priority, one batch after the other; "
            "classifier: mobilenet_v2 fp16, batch 8, 400 /s at random times");
}

InWords words_of(const std::string& text) {
  const auto loaded = testing::load_text(text);
  EXPECT_TRUE(loaded.scenario) << loaded.errors;
  return in_words(to_json(*loaded.scenario));
}

TEST(InWords, tell_every_limit_and_setting_of_the_board_that_changes_a_result) {
  EXPECT_EQ(words_of(R"(
device: nvidia-h200
power_limit: 500 W
ambient: 40 degC
host_cores: 4
observer: nsys
figures: {gpu.time_slicing.slice: 1 ms}
processes: [{model: resnet50, precision: fp16}]
)")
                .board,
            "nvidia-h200, limited to 500 W, at 40 degC, observed by nsys, processes on 4 cores, "
            "gpu.time_slicing.slice = 1 ms");
  EXPECT_EQ(
      words_of(R"(
device: jetson-orin-nano
clocks: {gpu: 408 MHz, cores: 4}
governors: {cpu: schedutil}
fan: false
cpus: [1, 2]
link: {bandwidth: 50 Mbit/s, rtt: 20 ms}
interrupts: {load: 5 %}
compositor: true
processes: [{model: resnet50, precision: fp16}]
)")
          .board,
      "jetson-orin-nano, gpu at 408 MHz, 4 cores online, cpu governor schedutil, the fan off, processes on "
      "cores 1, 2, requests over a link of 6.25 MB/s, 20 ms there and back, interrupts of 5 % of a core, a "
      "desktop compositor");
}

TEST(InWords, tell_every_setting_of_a_process_that_changes_a_result) {
  const auto process = [](const std::string& inner, const std::string& rest = {}) {
    return words_of(testing::around(inner, rest)).processes.front();
  };
  const std::string network = "model: resnet50, precision: fp16, ";
  EXPECT_EQ(
      process(network + "transfers: none, cuda_graph: true, input: 320, nice: 5"),
      "resnet50 fp16, batch 1, tensorrt-graph, no transfers, nice 5, input 320, one batch after the other");
  EXPECT_EQ(
      process(network + "streams: 4, host_threads: 2, runtime: cuda-graph, sync: spin, priority: high, "
                        "sm_partition: 16, cpus: [0, 1], container: {name: a, cpus: 1.5}"),
      "resnet50 fp16, batch 1, cuda-graph, 4 streams, 2 host threads, spin wait, on cores 0, 1, in container "
      "a with 1.5 CPUs, high priority, SMs of its own: 16, one batch after the other");
  EXPECT_EQ(
      process(network + "batch: 8, arrivals: {clients: 4, think: 10 ms}, max_queue_delay: 2 ms, server: "
                        "{per_batch: 70 us, per_request: 8 us}, runtime: cuda-graph, policy: {fifo: 50}"),
      "resnet50 fp16, batch 8, cuda-graph, FIFO 50, 4 clients who wait for their answers and think for 10 "
      "ms, "
      "batches that wait up to 2 ms to fill, 70 us of the server's loop a batch, 8 us a request");
  EXPECT_EQ(process(network + "arrivals: {periodic: 20 /s, burst: 8}, batch: 8, max_queue_delay: 0 ms"),
            "resnet50 fp16, batch 8, tensorrt, 20 /s at regular times, queries of 8, batches of what waits");
  EXPECT_EQ(
      process(network + "arrivals: {poisson: 20 /s, queue: {limit: 8, drop: oldest}}, mps_threads: 50 %",
              "mps: true\n"),
      "resnet50 fp16, batch 1, tensorrt, at most 50 % of the SMs' threads, 20 /s at random times, queue of "
      "8, "
      "oldest dropped");
  EXPECT_EQ(
      process(network + "stages: [{resize: 640}, infer, {nms: cpu}], overlap: 2, arrivals: {poisson: 9 /s}"),
      "resnet50 fp16, batch 1, tensorrt, 9 /s at random times, stages resize 640x640 (cpu), nms (cpu), 2 "
      "batches "
      "under "
      "way");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
