// The laws, over two thousand random scenarios, and over every scenario that ships.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "models/dnn/graph/input_sides.hpp"
#include "scenarios/language/load.hpp"
#include "tests/scenarios/invariants/generator.hpp"
#include "tests/scenarios/invariants/laws.hpp"
#include "tests/scenarios/invariants/random_runs.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

// What is wrong with the run of a scenario, a line each; empty if nothing is.
std::string wrong_with(const Scenario& scenario) {
  std::string lines;
  try {
    const Simulated done = simulated(scenario);
    for (const std::string& breach : breaches(done.run())) lines += breach + "\n";
  } catch (const std::exception& error) {
    lines = fmt::format("it ended with: {}\n", error.what());
  }
  return lines;
}

// In parts, so that ctest can run them side by side. Each scenario has its number for good.
class Thousands : public ::testing::TestWithParam<int> {};

TEST_P(Thousands, random_scenarios_obey_all_laws) {
  const int count = scenarios_in_part();
  int refused = 0;
  for (int i = 0, number = first_in_part(GetParam()); i < count; ++number) {
    const Draft drawn = draft(static_cast<std::uint64_t>(number));
    const std::optional<Scenario> scenario = loaded(drawn.text());
    if (!scenario) {
      ASSERT_LT(++refused, count + 20) << "the generator draws what is not valid:\n" << drawn.text();
      continue;
    }
    ++i;
    const std::string wrong = wrong_with(*scenario);
    if (wrong.empty()) continue;
    const std::string law = wrong.substr(0, wrong.find(':'));
    const Draft least = smallest(drawn, [&](const Draft& some) {
      const std::optional<Scenario> smaller = loaded(some.text());
      return smaller && wrong_with(*smaller).starts_with(law);
    });
    ADD_FAILURE() << "scenario " << number << "\n" << wrong << "smallest:\n" << least.text();
  }
}

INSTANTIATE_TEST_SUITE_P(, Thousands, ::testing::Range(0, parts));

// Laws about what never occurs would hold for nothing.
TEST(Generator, draws_all_that_laws_are_about) {
  std::map<std::string, int> seen;
  const auto saw = [&](const char* what, bool so) { seen[what] += so ? 1 : 0; };
  const auto enough = [&] {
    return seen["valid"] >= 75 &&
           std::ranges::all_of(seen, [](const auto& kind) { return kind.second >= 3; });
  };
  for (std::uint64_t number = 0; number < 400 && !enough(); ++number) {
    const std::optional<Scenario> scenario = loaded(draft(number).text());
    saw("valid", scenario.has_value());
    if (!scenario) continue;
    const Result result = run(*scenario, RunControl{}).value();
    const SystemResult& system = result.system;
    saw("power is known", system.energy_per_image_mj.has_value());
    saw("power is held down", system.limited_by != "none" && system.limited_by != "power_mode");
    saw("a card's own limit, lowered", scenario->power_limit_w.has_value());
    saw("dense products", std::ranges::any_of(scenario->processes, [](const ProcessEntry& entry) {
          return std::holds_alternative<ProductsModel>(entry.work.model);
        }));
    const auto any = [&](auto&& is) {
      return std::ranges::any_of(scenario->processes, [&](const ProcessEntry& entry) {
        return std::ranges::any_of(parts_of(entry), is);
      });
    };
    saw("images that are no squares", any([](const ProcessEntry& part) {
          return part.work.input && dnn::sides_of(static_cast<int>(*part.work.input)).width !=
                                        dnn::sides_of(static_cast<int>(*part.work.input)).height;
        }));
    saw("numbers of eight or four bits with a point", any([](const ProcessEntry& part) {
          return part.work.precision && dnn::is_short_float(*part.work.precision);
        }));
    saw("a limit of an MPS client's memory",
        std::ranges::any_of(scenario->processes,
                            [](const ProcessEntry& entry) { return entry.gpu.mps_memory.has_value(); }));
    saw("stages that overlap", any([](const ProcessEntry& part) { return part.around.overlap > 0; }));
    saw("work that follows another's",
        any([](const ProcessEntry& part) { return part.arrivals.kind == process::ArrivalKind::cascade; }));
    saw("a sparse source", any([](const ProcessEntry& part) {
          return part.arrivals.rate_per_s > 0 && part.arrivals.rate_per_s <= 1;
        }));
    saw("more than eight processes", result.processes.size() > 8);
    saw("MPS", scenario->sharing == gpu::Sharing::mps);
    saw("a link", system.link.has_value());
    saw("a link that is overloaded", system.link && system.link->load > 1);
    saw("a DLA works", std::ranges::any_of(system.dla, [](const auto& dla) { return dla.busy > 0.01; }));
    saw("set-up", scenario->run.setup);
    saw("experts on the cores", std::ranges::any_of(scenario->processes, [](const ProcessEntry& entry) {
          return entry.language && entry.language->cpu_moe > 0;
        }));
    saw("a session with a pool of threads", std::ranges::any_of(scenario->processes, has_session_pool));
    saw("a core apart", !scenario->figures.empty());
    saw("a language model on the cores",
        std::ranges::any_of(scenario->processes, [](const ProcessEntry& entry) {
          return entry.language && entry.host.placement == Placement::cpu;
        }));
    const bool repeats = system.gpu.repeated.value_or(0) > 0;
    const bool in_turns = gpu::way_of(scenario->sharing).takes_turns && result.processes.size() > 1;
    saw("batches of streams in turns that are repeated", repeats && in_turns);
    saw("batches of other streams that are repeated", repeats && !in_turns);
    saw("all batches done", system.stop == "batches");
    saw("as precise as asked", system.stop == "relative_error");
    for (const ProcessResult& process : result.processes) {
      saw("a process does not fit", process.status != "ok");
      saw("nothing was served", process.status == "ok" && process.images == 0.0);
      saw("an interval", process.throughput.ci95.has_value());
      saw("overloaded", process.stable == false);
      saw("stable", process.stable == true);
      saw("drops", process.drops > 0);
      saw("stages", !process.stages.empty());
      saw("training", process.training);
      saw("threads that spin for one without a core",
          process.time_share && (*process.time_share)[index_of(process::Share::barrier_spin)] > 0.01);
    }
  }
  for (const auto& [what, times] : seen) EXPECT_GE(times, 3) << what;
  EXPECT_GE(seen["valid"], 75);
}

// Scenarios that broke a law once.
TEST(Found, scenarios_obey_all_laws) {
  for (const std::string text : {
           // Kernels of streams that share SMs counted with the SMs that each has alone.
           "device: nvidia-h100\nprocesses:\n"
           "  - {model: mobilenet_v3_small, precision: fp16, runtime: eager, streams: 2}\n"
           "  - {model: alexnet, precision: fp32, batch: 8, streams: 4, host_threads: 3}\n"
           "power_limit: 499 W\nrun: {duration: 300 ms, warmup: 300 ms, seed: 256308}\n",
           "device: nvidia-v100\nhost_cores: 1\nprocesses:\n"
           "  - {model: mobilenet_v3_small, precision: fp16, runtime: cuda-graph, streams: 2, arrivals: "
           "{periodic: 300 /s, streams: 1, burst: 8}, max_queue_delay: 1 ms}\n"
           "  - {name: s1, runtime: tensorrt, instances: [{model: shufflenet_v2_x0_5, precision: fp16, "
           "batch: "
           "4, priority: low, count: 2}, {model: mobilenet_v2, precision: fp16, priority: low}]}\n"
           "run: {duration: 300 ms, warmup: 200 ms, seed: 51221}\n",
           // Repeated kernels ran for longer than their process had the GPU: a share of time below zero.
           "device: nvidia-h200\nhost_cores: 1\nprocesses:\n"
           "  - {model: {products: 4096, layers: 8}, precision: fp16, batch: 256, runtime: cuda-graph}\n"
           "  - {model: resnet50, precision: fp16, batch: 4, runtime: tensorrt, cuda_graph: true, "
           "stages: {after: [{name: boxes, on: gpu, time: 1 ms}]}, arrivals: {poisson: 100 /s}}\n"
           "  - {name: s2, runtime: eager, instances: [{name: i0, model: bert_tiny, precision: fp16, batch: "
           "2, "
           "arrivals: {poisson: 1 /s}}, {model: deit_tiny, precision: fp16, batch: 4, after: i0}]}\n"
           "run: {duration: 500 ms, warmup: 300 ms, seed: 97936}\n",
           // Streams of one process kept more issue slots busy than SMs have.
           "device: nvidia-h100\nprocesses:\n  - {model: vgg16, precision: fp32, streams: 3}\n"
           "run: {seed: 517, duration: 109 ms, warmup: 100 ms, replications: 3}\n",
           "device: nvidia-h200\nprocesses:\n"
           "  - {model: yolov4_tiny, precision: fp32, cuda_graph: true, streams: 4}\n"
           "run: {seed: 717, duration: 100 ms, warmup: 0 s}\n",
           // The time of the compositor was that of its stream, not that of its kernels on the GPU.
           "device: nvidia-rtx-pro-6000\nclocks: {gpu: 270 MHz}\npower_cap: {budget: 18 W, window: 100 ms}\n"
           "compositor: true\nprocesses:\n"
           "  - {model: {kernels: 4, duration: 56 us, blocks: 296, threads: 128, bytes: 3079 kB}, runtime: "
           "cuda-graph, streams: 4}\n"
           "run: {seed: 200, duration: 1 s, warmup: 100 ms, start: together}\n",
           // A stalled stream kept its rate for ever.
           "device: jetson-xavier-nx\nlink: {bandwidth: 50 Mbit/s, rtt: 20 ms, jitter: 5 ms, loss: 1 %}\n"
           "processes: [{model: resnet18, precision: int8, arrivals: {periodic: 1000 /s}}]\n"
           "run: {duration: 20 s}\n",
           // Batches at the ends of the run were counted whole.
           "device: jetson-nano\npower_mode: MAXN\njetson_clocks: true\n"
           "processes: [{model: fcn_resnet50, precision: tf32, batch: 4}]\n",
           // Rates were counted from when each process was ready.
           "device: jetson-agx-orin-32gb\nprocesses: [{model: bert_tiny, precision: fp32, count: 2}]\n"
           "run: {setup: true, batches: 3}\n",
           // Energy was divided by the images of those whose rate is known.
           "device: jetson-nano\nprocesses: [{model: resnet18, precision: fp16},"
           "{model: resnet18, precision: fp16, arrivals: {periodic: 1 /s, phase: 50 ms}}]\n"
           "run: {duration: 400 ms, warmup: 100 ms}\n",
           // A run shorter than the window of the peaks had rails that peaked at zero.
           "device: jetson-orin-nano\nprocesses: [{model: resnet18, precision: fp16}]\n"
           "run: {duration: 50 ms, warmup: 20 ms}\n",
           // A backlog that grew, but by nothing.
           "device: jetson-tx2\npower_mode: MAXP_CORE_DENVER\nprocesses:\n"
           "  - {model: resnet50, precision: tf32, arrivals: {periodic: 15 /s}}\n"
           "  - {model: resnet50, precision: fp32}\n"
           "run: {seed: 298, duration: 394 ms, warmup: 100 ms}\n",
           // A share of -1e-17.
           "device: jetson-orin-nx-16gb\nprocesses: [{model: fcn_resnet50, precision: fp32, batch: 8}]\n"
           "run: {seed: 686, duration: 555 ms, warmup: 100 ms}\n",
           // Two of three replications called the load too high, and the latency of the third remained.
           "device: jetson-orin-nx-8gb\nprocesses: [{model: vgg16, precision: tf32, batch: 16, "
           "arrivals: {poisson: 300 /s}, max_queue_delay: 5 ms, count: 5}]\n"
           "run: {seed: 54, duration: 119 ms, warmup: 100 ms, replications: 3}\n",
           // A replication of one request weighed as much as one of seven: the median was twice the mean.
           "device: jetson-agx-orin-devkit-32gb\nhost_cores: 1\n"
           "link: {bandwidth: 100 Mbit/s, rtt: 30 ms, jitter: 0 ms, loss: 5 %, payload: 10 kB}\n"
           "interrupts: {load: 16 %, rate: 2000 /s}\n"
           "processes: [{model: yolov4_tiny, precision: fp16}, {load: memory_copy, duty: 70 %}]\n"
           "run: {seed: 761, duration: 143 ms, warmup: 100 ms, replications: 3}\n",
           // Kernels ran after the phase of the host that they were attributed to: launching of -2e-4.
           "device: nvidia-h200\nhost_cores: 1\nprocesses:\n"
           "  - {model: {kernels: 3, duration: 65 us, blocks: 252, threads: 128, bytes: 1742 kB}, "
           "runtime: cuda-graph, streams: 4}\n"
           "  - {model: {kernels: 5, duration: 180 us, blocks: 135, threads: 128, bytes: 3808 kB}, "
           "runtime: cuda-graph, sync: blocking}\n"
           "run: {seed: 566, duration: 1 s, warmup: 100 ms}\n",
           // The whole waves of a kernel under way used more issue slots than there are.
           "device: jetson-tx2\njetson_clocks: true\npower_cap: {budget: 4 W, window: 100 ms}\n"
           "processes: [{runtime: cuda-graph, instances: [{model: fcn_resnet50, precision: int8}]}]\n"
           "run: {seed: 232, duration: 222 ms, warmup: 100 ms, start: together}\n",
           // Attempts of requests that were sent before the measurement had no weight.
           "device: nvidia-a10\n"
           "link: {bandwidth: 1000 Mbit/s, rtt: 32 ms, jitter: 0 ms, loss: 1 %, payload: 10 kB}\n"
           "processes: [{model: smollm2_135m, precision: fp16, generate: {prompt: 64, "
           "tokens: {uniform: [2, 16]}}, users: 2}]\n"
           "run: {seed: 323, duration: 119 ms, warmup: 100 ms, replications: 2}\n",
       })
    EXPECT_EQ(wrong_with(loaded(text).value()), "") << text;
}

// Batches are repeated: in turns that end with a process's batches, in turns whose slices expire, and under
// MPS. Streams of a process share SMs, and a lone stream refills its caches after each expiry.
const std::vector<std::string>& with_repeats() {
  static const std::vector<std::string> texts{
      "device: nvidia-v100\nprocesses: [{model: resnet50, precision: fp16, batch: 16, runtime: "
      "cuda-graph, count: 2, streams: 2}]\nrun: {duration: 1 s, warmup: 300 ms}\n",
      "device: nvidia-a40\nhost_cores: 3\ninterrupts: {cpu: 0, load: 1 %}\nprocesses:\n"
      "  - {model: resnet18, precision: fp32, runtime: cuda-graph, streams: 4, "
      "arrivals: {clients: 2, burst: 2}, max_queue_delay: 1 ms}\n"
      "  - {model: deit_tiny, precision: fp16, runtime: cuda-graph, training: true}\n"
      "  - {load: busy, threads: 1}\n"
      "run: {duration: 300 ms, warmup: 200 ms, seed: 776903}\n",
      "device: nvidia-h200\nprocesses: [{model: resnet50, precision: fp16, runtime: cuda-graph, "
      "sync: spin, count: 4, streams: 2}]\nrun: {duration: 500 ms, warmup: 100 ms}\n",
      "device: nvidia-h100\nprocesses:\n"
      "  - {model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin, streams: 4}\n"
      "  - {model: mobilenet_v2, precision: fp16, runtime: cuda-graph, sync: blocking, streams: 2}\n"
      "run: {duration: 500 ms, warmup: 100 ms}\n",
      "device: nvidia-h200\nmps: true\nprocesses:\n"
      "  - {model: resnet50, precision: fp16, batch: 8, runtime: tensorrt}\n"
      "  - {model: densenet121, precision: fp16, batch: 4, runtime: tensorrt}\n"
      "  - {model: resnet18, precision: fp16, batch: 8, runtime: cuda-graph}\n"
      "run: {duration: 2 s, warmup: 100 ms}\n",
      "device: nvidia-h200\nmps: true\nprocesses: [{model: resnet50, precision: fp16, "
      "runtime: cuda-graph, sync: spin, count: 2, streams: 2}]\n"
      "run: {duration: 500 ms, warmup: 100 ms}\n",
  };
  return texts;
}

TEST(Repeated, batches_obey_all_laws) {
  for (const std::string& text : with_repeats()) {
    const Scenario scenario = loaded(text).value();
    EXPECT_EQ(wrong_with(scenario), "") << text;
    EXPECT_GT(run(scenario, RunControl{}).value().system.gpu.repeated.value_or(0), 0.3) << text;
  }
}

TEST(Repeated, batches_keep_the_gpu_as_busy_as_those_of_which_every_kernel_is_simulated) {
  for (const std::string& text : with_repeats()) {
    SCOPED_TRACE(text);
    Scenario scenario = loaded(text).value();
    const Result repeated = run(scenario, RunControl{}).value();
    scenario.run.every_kernel = true;
    const Result simulated = run(scenario, RunControl{}).value();
    const SystemResult &a = repeated.system, &b = simulated.system;
    EXPECT_NEAR(a.gpu.busy.value(), b.gpu.busy.value(), 0.004);
    EXPECT_NEAR(a.gpu.reported_load.value(), b.gpu.reported_load.value(), 0.004);
    EXPECT_NEAR(a.gpu.array.sm_active.value(), b.gpu.array.sm_active.value(), 0.004);
    EXPECT_NEAR(a.power_w.mean.value(), b.power_w.mean.value(), 0.005 * b.power_w.mean.value());
  }
}

// Those that ship with jostle, for as long as they ask. Studies are none.
TEST(Shipped, scenarios_obey_all_laws) {
  const Catalogue catalogue = shipped_catalogue();
  int checked = 0;
  for (const char* folder : {"scenarios", "tests/golden"}) {
    for (const auto& file :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(JOSTLE_SOURCE_DIR) / folder)) {
      if (file.path().extension() != ".yaml") continue;
      input::Problems problems;
      const auto scenario = load_scenario(file.path().string(), catalogue, {}, problems);
      if (!scenario) continue;
      ++checked;
      EXPECT_EQ(wrong_with(*scenario), "") << file.path();
    }
  }
  EXPECT_GE(checked, 19);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
