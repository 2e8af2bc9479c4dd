// Processes with several streams, and requests that gather, are dropped or are made by others' results: what
// scenarios say of them, and laws of what they give.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "scenarios/result/result_text.hpp"
#include "scenarios/run/run.hpp"
#include "tests/scenarios/runs.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using testing::around;
using testing::load_text;

Result run_these(const std::string& processes, const std::string& rest = {}) {
  input::Problems problems;
  const auto scenario = parse_scenario(
      {"device: nvidia-h200\nprocesses:\n" + processes + "run: {duration: 1 s, warmup: 200 ms}\n" + rest,
       "gate.yaml", ""},
      shipped_catalogue(), {}, problems);
  EXPECT_TRUE(scenario) << problems.text();
  return run(scenario.value(), {}).value();
}
const ProcessResult& only(const Result& result) {
  return result.processes.front();
}
const std::string resnet = "model: resnet50, precision: fp16, ";
const std::string graph = "runtime: cuda-graph, sync: spin";

TEST(Instances, one_stream_gives_the_same_bytes_as_none_named) {
  const std::string one = "  - {" + resnet + graph;
  EXPECT_EQ(to_json(run_these(one + ", streams: 1}\n")), to_json(run_these(one + "}\n")));
}

TEST(Instances, one_instance_does_what_a_plain_process_does_under_spatial_sharing) {
  for (const std::string sync : {"spin", "blocking"}) {
    const std::string host = "runtime: eager, sync: " + sync;
    const auto plain = run_these("  - {" + resnet + host + "}\n", "mps: true\n");
    const auto named =
        run_these("  - {instances: [{" + resnet + "batch: 1}], " + host + "}\n", "mps: true\n");
    EXPECT_EQ(only(plain).throughput.mean, only(named).throughput.mean) << sync;
    EXPECT_EQ(only(plain).latency_ms.mean, only(named).latency_ms.mean) << sync;
    ASSERT_EQ(only(named).instances.size(), 1U);
    EXPECT_TRUE(only(plain).instances.empty());
  }
}

TEST(Instances, their_throughputs_sum_to_that_of_their_process) {
  const auto result =
      run_these("  - {" + graph + ", instances: [{" + resnet +
                "count: 2}, {model: mobilenet_v2, precision: fp16, batch: 4, priority: low}]}\n");
  double sum = 0;
  for (const InstanceResult& instance : only(result).instances) sum += instance.throughput.mean.value();
  EXPECT_EQ(only(result).instances.size(), 3U);
  EXPECT_NEAR(sum, only(result).throughput.mean.value(), 1e-9 * sum);
}

TEST(Instances, equal_streams_are_served_equally_and_do_more_together_than_one) {
  const auto one = run_these("  - {" + resnet + graph + "}\n");
  const auto four = run_these("  - {" + resnet + graph + ", streams: 4}\n");
  const auto& instances = only(four).instances;
  ASSERT_EQ(instances.size(), 4U);
  for (const InstanceResult& instance : instances)
    EXPECT_NEAR(*instance.throughput.mean / *instances[0].throughput.mean, 1, 0.02);
  EXPECT_GT(*only(four).throughput.mean, *only(one).throughput.mean);
}

TEST(Instances, share_weights_and_one_context_but_no_activations) {
  const auto one = only(run_these("  - {" + resnet + graph + "}\n")).memory;
  const auto three = only(run_these("  - {" + resnet + graph + ", streams: 3}\n")).memory;
  EXPECT_EQ(*three.context, *one.context);
  EXPECT_EQ(*three.engine, *one.engine);
  EXPECT_DOUBLE_EQ(*three.arena, 3 * *one.arena);
  EXPECT_DOUBLE_EQ(*three.io, 3 * *one.io);
}

TEST(Instances, of_high_priority_are_never_slower_than_equal_ones_of_low) {
  for (const char* const sync : {"spin", "blocking"}) {
    const auto result = run_these("  - {runtime: eager, sync: " + std::string(sync) + ", instances: [{" +
                                  resnet + "priority: low}, {" + resnet + "priority: high}]}\n");
    const auto& instances = only(result).instances;
    EXPECT_GE(*instances[1].throughput.mean, *instances[0].throughput.mean * (1 - 1e-9)) << sync;
  }
}

TEST(DynamicBatching, without_delay_where_nobody_waits_is_no_batching) {
  const std::string requests = "arrivals: {periodic: 50 /s}, " + graph;
  const auto plain = run_these("  - {" + resnet + "batch: 1, " + requests + "}\n");
  const auto batched = run_these("  - {" + resnet + "batch: 8, max_queue_delay: 0 ms, " + requests + "}\n");
  EXPECT_NEAR(*only(plain).throughput.mean, *only(batched).throughput.mean, 1e-6);
  EXPECT_NEAR(*only(plain).latency_ms.p50 / *only(batched).latency_ms.p50, 1, 0.01);
}

TEST(DynamicBatching, of_single_images_is_no_batching_whatever_the_delay) {
  const std::string requests = "arrivals: {poisson: 500 /s}, " + graph;
  const auto plain = run_these("  - {" + resnet + requests + "}\n");
  const auto batched = run_these("  - {" + resnet + "max_queue_delay: 5 ms, " + requests + "}\n");
  EXPECT_NEAR(*only(plain).throughput.mean, *only(batched).throughput.mean, 1e-6);
  EXPECT_NEAR(*only(plain).latency_ms.mean / *only(batched).latency_ms.mean, 1, 0.01);
}

TEST(DynamicBatching, keeps_a_lone_request_for_the_delay_and_a_full_batch_for_none) {
  const std::string server = "  - {" + graph + ", instances: [{" + resnet;
  const auto rare = run_these(server + "batch: 8, max_queue_delay: 4 ms, arrivals: {periodic: 20 /s}}]}\n");
  const auto at_once =
      run_these(server + "batch: 8, max_queue_delay: 0 ms, arrivals: {periodic: 20 /s}}]}\n");
  EXPECT_NEAR(*only(rare).latency_ms.p50 - *only(at_once).latency_ms.p50, 4, 0.05);
  const auto busy = run_these(server + "batch: 8, max_queue_delay: 20 ms, arrivals: {poisson: 4000 /s}}]}\n");
  EXPECT_GT(*only(busy).instances[0].mean_batch, 7);
  EXPECT_LT(*only(busy).latency_ms.p50, 20);
}

TEST(DynamicBatching, obeys_littles_law) {
  // Of a queue that overflows never more than its limit wait, so latency is at most (limit + batch) / rate
  // beyond a batch's own time.
  const auto result =
      run_these("  - {" + graph + ", instances: [{" + resnet +
                "batch: 4, max_queue_delay: 1 ms, arrivals: {poisson: 20000 /s}, queue: 40}]}\n");
  const InstanceResult& instance = only(result).instances[0];
  const double in_system = *instance.throughput.mean * *instance.latency_ms.mean / 1e3;
  EXPECT_GT(instance.drops, 0);
  EXPECT_NEAR(in_system, 44, 2.5);
}

TEST(Queues, that_drop_the_oldest_answer_sooner_than_those_that_drop_the_newest) {
  const auto with = [](const std::string& drop) {
    return run_these("  - {" + resnet + graph +
                     ", arrivals: {poisson: 5000 /s, queue: {limit: 16, drop: " + drop + "}}}\n");
  };
  const auto newest = with("newest"), oldest = with("oldest");
  EXPECT_GT(only(newest).drops, 0);
  EXPECT_NEAR(*only(newest).throughput.mean / *only(oldest).throughput.mean, 1, 0.02);
  EXPECT_LT(*only(oldest).latency_ms.mean, *only(newest).latency_ms.mean);
}

TEST(Cascades, conserve_the_mean_fan_out_and_take_the_detector_into_account) {
  const std::string detector =
      "  - {" + graph + ", instances: [{name: detector, " + resnet + "arrivals: {periodic: 200 /s}}, ";
  const auto drawn = run_these(
      detector +
      "{model: mobilenet_v2, precision: fp16, batch: 8, after: detector, fan_out: {mean: 2.5}}]}\n");
  const auto& instances = only(drawn).instances;
  EXPECT_NEAR(*instances[1].throughput.mean / *instances[0].throughput.mean, 2.5, 0.35);
  EXPECT_GT(*instances[1].latency_ms.p50, *instances[0].latency_ms.p50);
  const auto fixed = run_these(detector +
                               "{model: mobilenet_v2, precision: fp16, batch: 8, after: detector, fan_out: "
                               "{mean: 3, distribution: fixed}}]}\n");
  EXPECT_NEAR(*only(fixed).instances[1].offered / 200, 3, 0.02);
}

// Streams of a detector that makes requests for another, beside one in a closed loop.
const std::string odd_lanes = R"(device: jetson-orin-nano-super
power_mode: 15W
processes:
  - name: server
    runtime: cuda-graph
    sync: blocking
    instances:
      - {name: det, model: yolov8n, precision: fp16, arrivals: {poisson: 1 /s}}
      - {name: cls, model: mobilenet_v2, precision: fp16, after: det, max_queue_delay: 2 ms}
      - {name: extra, model: efficientnet_b0, precision: fp16, batch: 4, count: 2}
run: {duration: 4 s, seed: 824582}
)";

TEST(Instances, the_interval_of_their_process_holds_the_sum_of_their_throughputs) {
  for (const std::uint64_t seed : {824582U, 1U, 2U, 3U}) {
    const Result result = testing::run_text(odd_lanes, {{}, seed});
    const Throughput& rate = only(result).throughput;
    ASSERT_TRUE(rate.mean && rate.ci95) << seed;
    EXPECT_LE(rate.ci95->first, *rate.mean) << seed;
    EXPECT_GE(rate.ci95->second, *rate.mean) << seed;
  }
}

TEST(Instances, the_mean_batch_of_their_process_is_over_the_batches_of_all) {
  const Result result = testing::run_text(odd_lanes);
  double images = 0;
  std::int64_t batches = 0;
  for (const InstanceResult& instance : only(result).instances) {
    images += instance.mean_batch.value_or(0) * static_cast<double>(instance.batches);
    batches += instance.batches;
  }
  EXPECT_EQ(only(result).batches, batches);
  EXPECT_NEAR(only(result).mean_batch.value(), images / static_cast<double>(batches), 1e-9);
}

TEST(Processes, tell_how_large_their_batches_were) {
  const auto of = [](const std::string& more) {
    return only(run_these("  - {" + resnet + graph + ", batch: 8" + more + "}\n")).mean_batch.value();
  };
  EXPECT_EQ(of(""), 8);
  const double gathered = of(", arrivals: {poisson: 500 /s}, max_queue_delay: 4 ms");
  EXPECT_GT(gathered, 1.5);
  EXPECT_LT(gathered, 6);
}

TEST(Instances, count_of_a_switch_that_is_under_way_at_the_end_what_has_passed) {
  const Result result = testing::run_text(R"(device: nvidia-t4
processes:
  - {model: yolov8n, precision: fp32, runtime: onnxruntime, count: 3}
  - name: server
    runtime: tensorrt
    nice: 19
    instances:
      - {name: det, model: resnet18, precision: fp16, arrivals: {periodic: 15 /s, streams: 4, queue: 2}}
      - {model: mobilenet_v2, precision: fp16, batch: 4, after: det}
      - {model: yolo11s, precision: fp16}
host_cores: 11
run: {duration: 4 s, seed: 458947}
)");
  EXPECT_LE(result.system.gpu.reported_load.value(), 1);
}

TEST(Cascades, go_from_one_process_to_another) {
  const auto result = run_these("  - {name: detector, count: 2, " + resnet + graph +
                                ", arrivals: {periodic: 50 /s}}\n"
                                "  - {model: mobilenet_v2, precision: fp16, " +
                                graph + ", after: detector}\n");
  EXPECT_NEAR(*result.processes[2].throughput.mean, 100, 3);
  EXPECT_GT(*result.processes[2].latency_ms.p50, *result.processes[0].latency_ms.p50);
}

TEST(Instances, come_back_from_their_echo_as_they_were) {
  const std::string text = around(
      "name: server, runtime: eager, mps_threads: 50 %, instances: [{name: a, model: resnet50, precision: "
      "fp16, count: 2, priority: high, arrivals: {poisson: 30 /s, queue: {limit: 3, drop: oldest}}, "
      "max_queue_delay: 2 ms}, {model: mobilenet_v2, precision: int8, batch: 4, after: a, fan_out: {mean: "
      "2.5}}]",
      "mps: true\n");
  const auto first = load_text(text);
  ASSERT_TRUE(first.scenario) << first.errors;
  const std::string echo = to_json(*first.scenario);
  const auto second = load_text(echo);
  ASSERT_TRUE(second.scenario) << second.errors;
  EXPECT_EQ(echo, to_json(*second.scenario));
}

void expect_refused(const std::string& process, const std::string& why, const std::string& rest = {}) {
  const auto loaded = load_text(around(process, rest));
  EXPECT_FALSE(loaded.scenario);
  EXPECT_NE(loaded.errors.find(why), std::string::npos) << loaded.errors;
}

TEST(Instances, are_refused_with_what_to_do) {
  expect_refused("model: resnet50, instances: [{model: resnet50, precision: fp16}]",
                 "processes.0.model: a process with instances has no key 'model' (each instance has it)");
  expect_refused("instances: [{model: resnet50, precision: fp16, sync: spin}]",
                 "(its process has it, for all instances)");
  expect_refused("instances: [{model: resnet50, precision: fp16, streams: 2}]",
                 "(a process with a model has it)");
  expect_refused("model: resnet50, precision: fp16, placement: cpu, streams: 2", "has one stream of work");
  expect_refused("model: resnet50, precision: fp16, mps_threads: 50 %", "add it at the top");
  expect_refused("model: resnet50, precision: fp16, max_queue_delay: 2 ms",
                 "`max_queue_delay` needs `arrivals` or `after`");
  expect_refused("model: resnet50, precision: fp16, fan_out: {mean: 2}", "for example after: detector");
  expect_refused("model: resnet50, precision: fp16, name: a, after: a",
                 "its own results would make its requests");
  expect_refused("model: resnet50, precision: fp16, name: a, after: b",
                 "no process and no instance is called 'b'");
  expect_refused("model: resnet50, precision: fp16, streams: 2", "`link` needs processes of one stream",
                 "link: {bandwidth: 50 Mbit/s, rtt: 20 ms}\n");
}

TEST(Mps, a_client_that_needs_more_than_its_limit_of_memory_does_not_run_and_the_others_do) {
  const auto at_most = [](const char* limit) {
    return run_these(std::string("  - {name: heavy, model: vgg16, precision: fp16, mps_memory: ") + limit +
                         "}\n  - {name: light, model: resnet18, precision: fp16}\n",
                     "mps: true\n");
  };
  const Result enough = at_most("2 GB"), little = at_most("200 MB");
  ASSERT_EQ(enough.status, "ok") << enough.processes[0].problem;
  EXPECT_EQ(little.processes[0].status, "out_of_memory");
  EXPECT_THAT(little.processes[0].problem, ::testing::HasSubstr("mps_memory allows 200 beside the context"));
  EXPECT_EQ(little.processes[1].status, "ok");
  const ProcessMemory& held = enough.processes[0].memory;
  const double needed = held.engine.value() + held.arena.value() + held.io.value();
  EXPECT_EQ(at_most((std::to_string(needed + 0.01) + " MB").c_str()).status, "ok");
  EXPECT_EQ(at_most((std::to_string(needed - 0.01) + " MB").c_str()).status, "out_of_memory");
}

TEST(Mps, a_limit_of_memory_needs_mps_and_the_gpu) {
  expect_refused("model: resnet50, precision: fp16, mps_memory: 1 GB", "`mps_memory` needs `sharing: mps`");
  expect_refused("model: resnet50, precision: fp16, placement: cpu, mps_memory: 1 GB",
                 "holds no memory of the GPU", "mps: true\n");
}

TEST(Mps, is_refused_on_a_board_whose_driver_has_none) {
  for (const auto& [device, has] : {std::pair{"jetson-orin-nano", false}, {"jetson-orin-nano-super", true}}) {
    input::Problems problems;
    const auto scenario = parse_scenario(
        {std::string("device: ") + device + "\nmps: true\nprocesses:\n  - {" + testing::plain_process + "}\n",
         "gate.yaml", ""},
        shipped_catalogue(), {}, problems);
    EXPECT_EQ(scenario.has_value(), has);
    if (has) continue;
    EXPECT_NE(problems.text().find("mps: jetson-orin-nano has no MPS"), std::string::npos);
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
