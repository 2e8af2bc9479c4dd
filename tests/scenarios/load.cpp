// What a right scenario means: every key of the language, the defaults, overrides and the echo.

#include "scenarios/language/load.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

const char* const every_key = R"(name: cameras at the gate
device: nvidia-h200
power_mode: MAXN
clocks: {cpu: 576 MHz, gpu: 624.75 MHz, emc: 2133 MHz, dla: 800 MHz, cores: 4}
jetson_clocks: true
governors: {cpu: schedutil, gpu: nvhost_podgov}
power_cap: {budget: 10 W, window: 1 s}
ambient: 25 degC
fan: true
observer: nsys
gpu_metrics: 100 us
mps: false
sharing: time-slicing
link: {bandwidth: 50 Mbit/s, rtt: 20 ms, jitter: 5 ms, loss: 0.1 %}
host_cores: 3
processes:
  - {model: resnet50, precision: fp16, batch: 4, runtime: cuda-graph, sync: spin, count: 2}
  - {model: mobilenet_v2, precision: tf32, batch: 1, runtime: eager, sync: blocking, arrivals: {poisson: 30 /s},
     placement: gpu, input: 224, cpus: [1], nice: 0, name: front}
  - {model: {kernels: 200, duration: 5 us, blocks: 132, threads: 256, pace: 15 us}, runtime: cuda-graph, sync: spin}
run: {duration: 5 s, warmup: 2 s, seed: 7}
)";

TEST(ScenarioLoader, reads_every_key_of_the_language) {
  const Loaded loaded = load_text(every_key);
  ASSERT_EQ(loaded.errors, "");
  const Scenario& s = *loaded.scenario;
  EXPECT_EQ(s.name, "cameras at the gate");
  EXPECT_EQ(s.device, "nvidia-h200");
  EXPECT_EQ(s.power_mode, "MAXN");
  EXPECT_EQ(s.clocks.cpu_hz, 576e6);
  EXPECT_EQ(s.clocks.gpu_hz, 624.75e6);
  EXPECT_EQ(s.clocks.emc_hz, 2133e6);
  EXPECT_EQ(s.clocks.dla_hz, 800e6);
  EXPECT_EQ(s.clocks.cores, 4);
  EXPECT_EQ(s.jetson_clocks, true);
  EXPECT_EQ(s.governors.cpu, "schedutil");
  EXPECT_EQ(s.governors.gpu, "nvhost_podgov");
  EXPECT_EQ(s.power_cap->budget_w, 10);
  EXPECT_EQ(s.power_cap->window, sim::seconds(1));
  EXPECT_EQ(s.ambient_c, 25);
  EXPECT_EQ(s.fan, true);
  EXPECT_EQ(s.observer, Observer::nsys);
  EXPECT_EQ(s.gpu_metrics, sim::microseconds(100));
  EXPECT_EQ(s.sharing, gpu::Sharing::time_slicing);
  EXPECT_EQ(s.link->bandwidth, 50e6 / 8);
  EXPECT_EQ(s.link->rtt, sim::milliseconds(20));
  EXPECT_EQ(s.link->jitter, sim::milliseconds(5));
  EXPECT_DOUBLE_EQ(s.link->loss, 0.001);
  EXPECT_EQ(s.host_cores, 3);
  ASSERT_EQ(s.processes.size(), 3U);
  const ProcessEntry& graph = s.processes[0];
  EXPECT_EQ(model_name(graph.work.model), "resnet50");
  EXPECT_EQ(graph.work.precision, Precision::fp16);
  EXPECT_EQ(graph.work.batch, 4);
  EXPECT_EQ(graph.host.runtime, Runtime::cuda_graph);
  EXPECT_EQ(graph.host.sync, Sync::spin);
  EXPECT_EQ(graph.count, 2);
  const ProcessEntry& front = s.processes[1];
  EXPECT_EQ(front.name, "front");
  EXPECT_EQ(front.work.precision, Precision::tf32);
  EXPECT_EQ(front.host.runtime, Runtime::eager);
  EXPECT_EQ(front.host.sync, Sync::blocking);
  EXPECT_EQ(front.arrivals.kind, process::ArrivalKind::poisson);
  EXPECT_EQ(front.arrivals.rate_per_s, 30);
  EXPECT_EQ(front.work.input, 224);
  EXPECT_EQ(front.host.cpus, std::vector<int>{1});
  const auto& synthetic = std::get<SyntheticModel>(s.processes[2].work.model);
  EXPECT_EQ(synthetic.kernels, 200);
  EXPECT_EQ(synthetic.duration, sim::microseconds(5));
  EXPECT_EQ(synthetic.blocks, 132U);
  EXPECT_EQ(synthetic.threads, 256U);
  EXPECT_EQ(synthetic.pace, sim::microseconds(15));
  EXPECT_EQ(s.run.duration, sim::seconds(5));
  EXPECT_EQ(s.run.warmup, sim::seconds(2));
  EXPECT_EQ(s.run.seed, 7U);
}

TEST(ScenarioLoader, fills_in_the_documented_defaults) {
  const Loaded loaded = load_text(around(plain_process));
  ASSERT_EQ(loaded.errors, "");
  const Scenario& s = *loaded.scenario;
  EXPECT_EQ(s.name, "gate");
  EXPECT_FALSE(s.power_mode || s.clocks.cpu_hz || s.power_cap || s.link || s.host_cores || s.run.until);
  const ProcessEntry& process = s.processes.at(0);
  EXPECT_EQ(process.work.batch, 1);
  EXPECT_EQ(process.count, 1);
  EXPECT_EQ(process.host.runtime, Runtime::tensorrt);
  EXPECT_EQ(process.host.sync, Sync::blocking);
  EXPECT_EQ(process.host.placement, Placement::gpu);
  EXPECT_EQ(process.arrivals.kind, process::ArrivalKind::closed_loop);
  EXPECT_EQ(s.run.duration, sim::seconds(4));
  EXPECT_EQ(s.run.warmup, sim::seconds(1));
  EXPECT_EQ(s.run.seed, 1U);
}

// Those of language models: LanguageModels.are_read_with_every_runtime_that_serves_text.
TEST(ScenarioLoader, reads_every_runtime_of_the_table_by_its_name) {
  for (const process::RuntimeTraits& row : process::runtimes) {
    if (row.serves_text) continue;
    const bool cores = row.kind == RuntimeKind::cores;
    const Loaded loaded =
        load_text(around(plain_process + ", runtime: " + row.name + (cores ? ", placement: cpu" : "")));
    ASSERT_TRUE(loaded.scenario) << loaded.errors;
    EXPECT_EQ(loaded.scenario->processes[0].host.runtime, row.runtime);
    EXPECT_EQ(loaded.scenario->processes[0].host.sync, row.blocks ? Sync::blocking : Sync::automatic);
  }
}

TEST(ScenarioLoader, takes_onnx_runtime_and_pytorch_on_the_cores_for_runtimes_of_the_cores) {
  const auto runtime = [](const std::string& keys) {
    const Loaded loaded = load_text(around(plain_process + ", placement: cpu, runtime: " + keys));
    EXPECT_TRUE(loaded.scenario) << loaded.errors;
    return loaded.scenario->processes[0].host.runtime;
  };
  EXPECT_EQ(runtime("onnxruntime"), Runtime::onnxruntime_cpu);
  EXPECT_EQ(runtime("eager"), Runtime::torch);
  EXPECT_EQ(runtime("executorch"), Runtime::executorch);
}

TEST(ScenarioLoader, synchronises_automatically_unless_the_runtime_is_tensorrt) {
  EXPECT_EQ(load_text(around(plain_process + ", runtime: eager")).scenario->processes[0].host.sync,
            Sync::automatic);
  EXPECT_EQ(load_text(around(plain_process + ", runtime: cuda-graph")).scenario->processes[0].host.sync,
            Sync::automatic);
}

TEST(ScenarioLoader, runs_on_the_cpu_where_the_placement_is_cpu) {
  const Loaded loaded = load_text(around(plain_process + ", placement: cpu"));
  ASSERT_EQ(loaded.errors, "");
  EXPECT_EQ(loaded.scenario->processes[0].host.runtime, Runtime::cpu);
}

TEST(ScenarioLoader, expands_counts_in_the_order_of_the_entries) {
  const Loaded loaded = load_text(
      "device: nvidia-h200\nprocesses:\n  - {model: resnet50, precision: fp16, count: 2}\n"
      "  - {model: resnet50, precision: fp32}\n");
  const auto expanded = expand(*loaded.scenario);
  ASSERT_EQ(expanded.size(), 3U);
  EXPECT_EQ(expanded[1].index, 1U);
  EXPECT_EQ(expanded[1].entry, 0U);
  EXPECT_EQ(expanded[2].entry, 1U);
}

TEST(ScenarioLoader, runs_until_a_relative_error_with_its_limit_as_duration) {
  const Loaded loaded = load_text(around(plain_process, "run: {until: {relative_error: 2 %, max: 30 s}}\n"));
  ASSERT_EQ(loaded.errors, "");
  EXPECT_DOUBLE_EQ(loaded.scenario->run.until->relative_error, 0.02);
  EXPECT_EQ(loaded.scenario->run.duration, sim::seconds(30));
}

TEST(ScenarioLoader, takes_a_queue_limit_inside_arrivals_or_beside_them) {
  for (const char* text : {", arrivals: {periodic: 30 /s, phase: 5 ms, queue: 4}",
                           ", arrivals: {periodic: 30 Hz, phase: 5 ms}, queue: 4"}) {
    const Loaded loaded = load_text(around(plain_process + text));
    ASSERT_EQ(loaded.errors, "") << text;
    const process::Arrivals& arrivals = loaded.scenario->processes[0].arrivals;
    EXPECT_EQ(arrivals.queue_limit, 4);
    EXPECT_EQ(arrivals.phase, sim::milliseconds(5));
    EXPECT_EQ(arrivals.rate_per_s, 30);
  }
}

TEST(ScenarioLoader, lets_the_clocks_of_periodic_sources_drift_unless_told_otherwise) {
  const auto drift = [](const char* arrivals) {
    const Loaded loaded = load_text(around(plain_process + fmt::format(", arrivals: {{{}}}", arrivals)));
    EXPECT_EQ(loaded.errors, "") << arrivals;
    return loaded.scenario->processes[0].arrivals.drift;
  };
  EXPECT_EQ(drift("periodic: 30 /s"), default_clock_drift);
  EXPECT_EQ(drift("periodic: 30 /s, drift: 0 ppm"), 0);
  EXPECT_NEAR(drift("periodic: 30 /s, drift: 50 ppm"), 50e-6, 1e-12);
  EXPECT_EQ(drift("poisson: 30 /s"), 0);
  EXPECT_NE(load_text(around(plain_process + ", arrivals: {poisson: 30 /s, drift: 1 ppm}")).errors, "");
}

TEST(ScenarioLoader, lets_aliases_stand_for_what_they_name) {
  const Loaded loaded =
      load_text("device: nvidia-h200\nprocesses:\n  - &a {model: resnet50, precision: fp16}\n  - *a\n");
  ASSERT_EQ(loaded.errors, "");
  EXPECT_EQ(loaded.scenario->processes.size(), 2U);
}

TEST(ScenarioLoader, puts_overrides_over_the_file_in_their_order) {
  const Loaded loaded =
      load_text(around(plain_process), {"processes.0.batch=4", "processes.0.batch=16", "run.duration=2 s",
                                        "processes.1={model: mobilenet_v2, precision: fp32}"});
  ASSERT_EQ(loaded.errors, "");
  EXPECT_EQ(loaded.scenario->processes[0].work.batch, 16);
  EXPECT_EQ(loaded.scenario->run.duration, sim::seconds(2));
  EXPECT_EQ(model_name(loaded.scenario->processes.at(1).work.model), "mobilenet_v2");
}

TEST(ScenarioLoader, overrides_the_seed_last) {
  input::Problems problems;
  const auto scenario = parse_scenario({around(plain_process, "run: {seed: 3}\n"), "x", ""},
                                       small_catalogue(), {{"run.seed=4"}, 5}, problems);
  ASSERT_TRUE(scenario) << problems.text();
  EXPECT_EQ(scenario->run.seed, 5U);
}

TEST(ScenarioEcho, is_itself_the_same_scenario) {
  const Scenario first = *load_text(every_key).scenario;
  const Loaded again = load_text(to_json(first));
  ASSERT_EQ(again.errors, "");
  EXPECT_EQ(to_json(*again.scenario), to_json(first));
  EXPECT_EQ(scenario_hash(*again.scenario), scenario_hash(first));
}

TEST(ScenarioEcho, writes_a_rectangle_as_cameras_do_and_a_square_as_its_side) {
  const auto input_of = [](const std::string& input) {
    const Loaded loaded = load_text(around("model: yolov8n, precision: fp16, input: " + input));
    return loaded.errors.empty()
               ? nlohmann::json::parse(to_json(*loaded.scenario))["processes"][0]["input"].dump()
               : loaded.errors;
  };
  EXPECT_EQ(input_of("640x384"), "\"640x384\"");
  EXPECT_EQ(input_of("640x640"), "640");
  EXPECT_EQ(input_of("640"), "640");
  EXPECT_THAT(input_of("640x400"), ::testing::HasSubstr("yolov8n takes multiples of 32, such as 640x384"));
  EXPECT_THAT(
      input_of("640x"),
      ::testing::HasSubstr(
          "'640x' is no size of an image (its side, or width and height, from 1 to 8192, such as 640x384)"));
  EXPECT_THAT(input_of("384x9000"), ::testing::HasSubstr("no size of an image"));
  EXPECT_THAT(input_of("640*384"), ::testing::HasSubstr("'640*384' is no size of an image"));
}

TEST(ScenarioEcho, hashes_equal_questions_alike_and_others_apart) {
  const auto hash = [](const std::string& text) { return scenario_hash(*load_text(text).scenario); };
  EXPECT_EQ(hash(around(plain_process)), hash(around("precision: fp16,   model: resnet50, batch: 1 ")));
  EXPECT_NE(hash(around(plain_process)), hash(around(plain_process + ", batch: 2")));
  // Frozen: the hash is the same on every machine and in every build.
  EXPECT_EQ(hash(around(plain_process)), "1521e866b1a4fdc6");
}

TEST(ScenarioLoader, reads_ways_of_sharing_by_their_words_and_mps_by_its_alias) {
  const auto read = [](const std::string& rest) {
    const Loaded loaded = load_text(around(plain_process, rest));
    EXPECT_EQ(loaded.errors, "");
    return *loaded.scenario;
  };
  for (const gpu::SharingWay& way : gpu::sharing_ways()) {
    const Scenario scenario = read("sharing: " + std::string(way.name));
    EXPECT_EQ(scenario.sharing, way.sharing);
    EXPECT_EQ(load_text(to_json(scenario)).scenario->sharing, way.sharing);
  }
  EXPECT_EQ(read("").sharing, gpu::Sharing::time_slicing);
  EXPECT_EQ(read("mps: true").sharing, gpu::Sharing::mps);
  EXPECT_EQ(read("mps: true\nsharing: mps").sharing, gpu::Sharing::mps);
  // The same question in either spelling.
  EXPECT_EQ(scenario_hash(read("sharing: mps")), scenario_hash(read("mps: true")));
  EXPECT_EQ(scenario_hash(read("sharing: time-slicing")), scenario_hash(read("mps: false")));
}

TEST(Threads, are_of_processes_on_the_cpu) {
  const Loaded loaded = load_text(around(plain_process + ", placement: cpu, threads: 3"));
  ASSERT_EQ(loaded.errors, "");
  EXPECT_EQ(loaded.scenario->processes[0].host.threads, 3);
  EXPECT_EQ(
      load_text(around(plain_process + ", threads: 3")).errors,
      "gate.yaml:3: processes.0.threads: only a process with placement: cpu, a session of ONNX Runtime, or "
      "a language model with gpu_layers or cpu_moe has threads\n");
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
