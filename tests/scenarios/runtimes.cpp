// The runtimes against what was published of them: enqueue times, PyTorch with and without Python, static
// graphs, half precision, a profiler; and runs that begin with the set-up and end after a number of batches.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/board/spec.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace {

using ::testing::HasSubstr;

std::string process_on(const std::string& board, const std::string& process,
                       const std::string& run = "{duration: 2 s, warmup: 500 ms}") {
  return "device: " + board + "\njetson_clocks: true\nprocesses: [{" + process + "}]\nrun: " + run + "\n";
}
double rate(const std::string& text) {
  return run_text(text).system.throughput.value();
}

// Enqueue -------------------------------------------------------------------------------------------

struct Enqueue {
  const char *board, *process;
  double measured_ms, max_error;
};

// trtexec on an Orin Nano Super (zainmk/jetson-nano-benchmarks-lab; the last gwonxhj). The costs were fitted
// on the two fp16 rows; the others are predictions. int8 engines launch fewer kernels than the lowering gives
// them, yolov8n more.
TEST(Enqueue, takes_the_host_as_long_as_trtexec_says) {
  const std::string super = "jetson-orin-nano-super\npower_mode: ";
  const std::vector<Enqueue> rows{
      {"MAXN_SUPER", "model: resnet18, precision: fp16", 0.2097, 0.15},
      {"MAXN_SUPER", "model: resnet50, precision: fp16", 0.4203, 0.10},
      {"MAXN_SUPER", "model: resnet18, precision: tf32", 0.2089, 0.15},
      {"MAXN_SUPER", "model: resnet50, precision: tf32", 0.4144, 0.10},
      {"MAXN_SUPER", "model: resnet18, precision: int8", 0.1662, 0.40},
      {"MAXN_SUPER", "model: resnet50, precision: int8", 0.357, 0.25},
      {"15W", "model: resnet50, precision: int8", 0.4048, 0.25},
      {"MAXN_SUPER", "model: yolov8n, precision: fp16", 1.3271, 0.40},
      // A governor leaves so light a thread at the lowest clock that nvpmodel allows.
      {"25W\nclocks: {cpu: 729.6 MHz}", "model: resnet18, precision: fp16", 0.537, 0.15},
  };
  for (const Enqueue& row : rows) {
    const Result result = run_text(process_on(super + row.board, row.process));
    EXPECT_NEAR(result.processes.front().ec_ms.mean.value(), row.measured_ms, row.max_error * row.measured_ms)
        << row.board << " " << row.process;
  }
}

TEST(Enqueue, scales_with_the_clock_of_the_cores) {
  const auto at = [](const char* clock) {
    return run_text(process_on("jetson-orin-nano-super\npower_mode: MAXN_SUPER\nclocks: {cpu: " +
                                   std::string(clock) + "}",
                               "model: resnet50, precision: fp16"))
        .processes.front()
        .ec_ms.mean.value();
  };
  EXPECT_NEAR(at("864 MHz") / at("1728 MHz"), 2, 0.02);
}

// Frameworks ----------------------------------------------------------------------------------------

TEST(Libtorch, launches_the_kernels_of_eager_faster) {
  for (const std::string& board : gpu_devices()) {
    const Result eager = run_text(process_on(board, "model: resnet50, precision: fp32, runtime: eager"));
    const Result libtorch =
        run_text(process_on(board, "model: resnet50, precision: fp32, runtime: libtorch"));
    EXPECT_LT(libtorch.processes[0].ec_ms.mean.value(), 0.9 * eager.processes[0].ec_ms.mean.value()) << board;
    EXPECT_GE(libtorch.system.throughput.value(), 0.999 * eager.system.throughput.value()) << board;
  }
}

// F05, F01: 2.57 images/s in fp32, 1.20 in fp16; C12: with TensorRT fp16 doubles the rate on the same board.
TEST(HalfPrecision, slows_pytorch_and_speeds_up_tensorrt_on_a_jetson_nano) {
  const auto at = [](const std::string& runtime, const std::string& precision) {
    return rate(process_on("jetson-nano", "model: ssd300, runtime: " + runtime + ", precision: " + precision,
                           "{duration: 20 s, warmup: 2 s}"));
  };
  const double single = at("eager", "fp32");
  EXPECT_NEAR(single, 2.57, 0.15 * 2.57);
  EXPECT_NEAR(at("eager", "fp16") / single, 1.20 / 2.57, 0.05);
  EXPECT_GT(at("tensorrt", "fp16"), 1.8 * at("tensorrt", "fp32"));
}

// Set-up --------------------------------------------------------------------------------------------

Result begun(const std::string& graph, int batches, const std::string& runtime = "eager") {
  return run_text(process_on(
      "jetson-nano", "model: alexnet, precision: fp32, batch: 32, runtime: " + runtime + ", graph: " + graph,
      fmt::format("{{setup: true, batches: {}}}", batches)));
}

// E18: loading costs a quarter more (without the start of the process, 8 s); E36: the gap keeps growing.
TEST(StaticGraph, costs_more_to_load_and_pays_it_back) {
  const double dynamic = begun("dynamic", 1).processes[0].setup_ms.value();
  const double compiled = begun("static", 1).processes[0].setup_ms.value();
  EXPECT_NEAR((compiled - 8000) / (dynamic - 8000), 1.25, 0.05);
  double before = 0;
  for (const int batches : {50, 100, 200}) {
    const double saved = begun("dynamic", batches).processes[0].finished_ms.value() -
                         begun("static", batches).processes[0].finished_ms.value();
    EXPECT_GT(saved, before);
    before = saved;
  }
}

// alexnet's windows are 11 x 11 and 5 x 5; resnet18 has one of 7 x 7.
TEST(StaticGraph, has_tried_out_algorithms_for_wide_windows) {
  const auto gain = [](const std::string& model) {
    const std::string process = "precision: fp32, batch: 8, runtime: eager, model: " + model;
    return rate(process_on("jetson-nano", process + ", graph: static")) /
           rate(process_on("jetson-nano", process));
  };
  EXPECT_GT(gain("alexnet"), 1.3);
  EXPECT_LT(gain("resnet18"), 1.15);
}

TEST(StaticGraph, is_a_choice_of_frameworks) {
  input::Problems problems;
  const auto refused = [&](const std::string& process) {
    input::Problems own;
    EXPECT_FALSE(
        parse_scenario({process_on("jetson-nano", process), "gate.yaml", {}}, shipped_catalogue(), {}, own));
    return own.text();
  };
  EXPECT_THAT(refused("model: alexnet, precision: fp32, graph: static"),
              HasSubstr("processes.0.graph: runtime tensorrt does not choose between graphs"));
  EXPECT_THAT(refused("model: alexnet, precision: fp32, runtime: eager, graph: statc"),
              HasSubstr("did you mean 'static'?"));
}

TEST(ARunOfBatches, ends_with_the_last_of_them) {
  const Result result = run_text(
      "device: jetson-nano\nprocesses:\n"
      "  - {model: resnet18, precision: fp16, count: 2}\n"
      "  - {model: resnet18, precision: fp16, arrivals: {periodic: 2 /s, phase: 100 ms}}\n"
      "run: {batches: 5}\n");
  EXPECT_EQ(result.system.stop, "batches");
  double last = 0;
  for (const ProcessResult& process : result.processes) {
    EXPECT_FALSE(process.setup_ms.has_value());
    last = std::max(last, process.finished_ms.value());
    // Five batches of one image.
    EXPECT_NEAR(process.throughput_after_setup.value(), 5e3 / process.finished_ms.value(), 1e-9);
    EXPECT_EQ(process.images, 5);
    EXPECT_NEAR(process.throughput.mean.value(), 5 / result.simulated_s, 1e-9);
  }
  EXPECT_GT(last, 2100);  // the fifth request comes at 2.1 s
  EXPECT_NEAR(result.simulated_s, last / 1e3, 1e-9);
}

TEST(ARunOfBatches, that_are_too_many_ends_at_its_duration) {
  const Result result = run_text(
      process_on("jetson-nano", "model: resnet18, precision: fp16", "{batches: 100000, duration: 2 s}"));
  EXPECT_EQ(result.system.stop, "duration");
  EXPECT_FALSE(result.processes[0].finished_ms.has_value());
}

TEST(ASetup, competes_for_the_cores_like_other_work) {
  const auto ready = [](int count) {
    const Result result = run_text(process_on(
        "jetson-nano\nhost_cores: 1", fmt::format("model: resnet18, precision: fp16, count: {}", count),
        "{setup: true, batches: 1}"));
    double last = 0;
    for (const ProcessResult& process : result.processes) last = std::max(last, process.setup_ms.value());
    return last;
  };
  EXPECT_NEAR(ready(2) / ready(1), 2, 0.05);
}

TEST(ASetup, is_longer_where_the_weights_are_larger) {
  const auto ready = [](const std::string& process) {
    return run_text(process_on("jetson-nano", process, "{setup: true, batches: 1}"))
        .processes[0]
        .setup_ms.value();
  };
  const double small = ready("model: resnet18, precision: fp32");
  EXPECT_GT(ready("model: alexnet, precision: fp32"), small);
  EXPECT_LT(ready("model: resnet18, precision: fp16"), small);
}

TEST(ASetup, begins_at_the_start_and_so_has_no_warm_up) {
  input::Problems problems;
  const std::string text =
      process_on("jetson-nano", "model: resnet18, precision: fp16", "{setup: true, warmup: 1 s}");
  EXPECT_FALSE(parse_scenario({text, "gate.yaml", {}}, shipped_catalogue(), {}, problems));
  EXPECT_THAT(problems.text(), HasSubstr("run.warmup: given beside setup or batches"));
}

TEST(ASetup, is_part_of_the_resolved_scenario) {
  const Scenario scenario =
      scenario_of(process_on("jetson-nano", "model: alexnet, precision: fp32, runtime: eager, graph: static",
                             "{setup: true, batches: 3}"));
  const Scenario again = scenario_of(to_json(scenario));
  EXPECT_TRUE(again.run.setup);
  EXPECT_EQ(again.run.batches, 3);
  EXPECT_TRUE(again.processes[0].static_graph);
  EXPECT_EQ(to_json(again), to_json(scenario));
}

// The observer --------------------------------------------------------------------------------------

// C25: an execution context takes 1 to 2 ms; C30: a launch 20 to 100 us; C39: the rate halves.
TEST(Nsys, halves_the_rate_of_resnet50_int8_on_an_orin_nano) {
  const std::string text = process_on("jetson-orin-nano", "model: resnet50, precision: int8");
  const Result observed = run_text("observer: nsys\n" + text);
  EXPECT_NEAR(observed.system.throughput.value() / rate(text), 0.5, 0.1);
  const EnqueueCall& call = observed.processes[0].ec_ms;
  EXPECT_GT(call.mean.value(), 1);
  EXPECT_LT(call.mean.value(), 2.2);
  EXPECT_GT(call.launch.value() * 1e3 / 58, 20);
  EXPECT_LT(call.launch.value() * 1e3 / 58, 100);
}

TEST(Nsys, never_speeds_anything_up) {
  for (const std::string runtime : {"tensorrt", "cuda-graph", "eager", "libtorch"}) {
    const std::string text =
        process_on("jetson-orin-nano", "model: resnet50, precision: fp16, runtime: " + runtime);
    EXPECT_LE(rate("observer: nsys\n" + text), 1.001 * rate(text)) << runtime;
  }
}

// C33: calls depart from flat where there are more threads that spin than cores.
TEST(Nsys, leaves_calls_as_long_until_threads_that_spin_outnumber_the_cores) {
  struct Loaded {
    std::string board, precision;
    int cores;
  };
  const std::vector<Loaded> boards{{"jetson-orin-nano", "int8", 3}, {"jetson-nano", "fp16", 2}};
  for (const Loaded& row : boards) {
    const auto call = [&row](int count) {
      const Result result =
          run_text(fmt::format("observer: nsys\nhost_cores: {}\n", row.cores) +
                   process_on(row.board, fmt::format("model: resnet50, precision: {}, sync: spin, count: {}",
                                                     row.precision, count)));
      double sum = 0;
      for (const ProcessResult& process : result.processes) sum += process.ec_ms.mean.value();
      return sum / count;
    };
    const double alone = call(1);
    EXPECT_NEAR(call(row.cores) / alone, 1, 0.1) << row.board;
    EXPECT_GT(call(row.cores + 1) / alone, 1.2) << row.board;
    EXPECT_GT(call(row.cores + 2), call(row.cores + 1)) << row.board;
  }
}

}  // namespace
}  // namespace jostle::scenarios::testing
