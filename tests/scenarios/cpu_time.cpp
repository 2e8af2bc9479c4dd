// What a run is expected to take of the machine that simulates it.
#include "scenarios/run/cpu_time.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>

#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

// Told before anything is simulated: the run is over before it begins.
double expected_of(const std::string& text) {
  const std::atomic<bool> interrupted = true;
  std::optional<double> seconds;
  RunControl control;
  control.interrupt = &interrupted;
  control.expected = [&seconds](double told) { seconds = told; };
  EXPECT_FALSE(run(scenario_of(text), control).has_value());
  return seconds.value();
}

std::string on_h200(const std::string& process, const std::string& run = "") {
  return "device: nvidia-h200\nprocesses: [{model: resnet50, precision: fp16, runtime: cuda-graph" + process +
         "}]\n" + run;
}

TEST(CpuTime, of_everyday_runs_is_not_worth_telling) {
  EXPECT_LT(expected_of(on_h200("")), 1);
  EXPECT_LT(expected_of(on_h200(", count: 16")), 1);
  EXPECT_LT(expected_of(on_h200(", streams: 4")), worth_telling_s);
  EXPECT_LT(expected_of("device: jetson-orin-nano-super\nprocesses: [{model: mobilenet_v2, precision: fp32, "
                        "placement: cpu, threads: 4, count: 3}]\n"),
            worth_telling_s);
}

TEST(CpuTime, of_many_streams_is_told) {
  EXPECT_GT(expected_of(on_h200(", streams: 128", "run: {every_kernel: true}\n")), 3 * worth_telling_s);
  const std::string requests = ", arrivals: {poisson: 20000 /s, queue: 8}";
  EXPECT_GT(expected_of(on_h200(", streams: 128" + requests)), 3 * worth_telling_s);
}

// Seconds of a core that was shared with others, of runs that took long in silence.
TEST(CpuTime, of_kernels_beside_others_is_within_a_factor_of_two) {
  const std::string networks[] = {"efficientnet_b4", "densenet201", "densenet169", "efficientnet_v2_s"};
  const int rates[] = {800, 600, 600, 500};
  std::string mps = "device: nvidia-h200\nsharing: mps\nprocesses:\n";
  for (int i = 0; i < 4; ++i)
    mps += fmt::format(
        "- {{model: {}, precision: fp16, runtime: cuda-graph, streams: 16, arrivals: {{poisson: {} /s}}}}\n",
        networks[i], rates[i]);
  const double on_mps = expected_of(mps + "run: {duration: 1 s, warmup: 0 s}\n");
  EXPECT_GT(on_mps, 25.0 / 2);
  EXPECT_LT(on_mps, 25.0 * 2);
  // Eight SMs: each wave of a kernel is an event.
  const double on_few = expected_of(
      "device: nvidia-h200\nhost_cores: 1\nprocesses:\n"
      "- {model: {products: 1024, layers: 8}, precision: fp32, runtime: eager}\n"
      "- {name: s1, runtime: eager, instances: [{name: a, model: alexnet, precision: fp16, batch: 4, "
      "arrivals: {poisson: 30 /s, queue: 4}}, {model: resnet50, precision: fp16, count: 2, after: a}]}\n"
      "- {model: alexnet, precision: fp16, batch: 8, runtime: onnxruntime, streams: 4, sm_partition: 8, "
      "sync: blocking}\nrun: {duration: 1 s, warmup: 1 s}\n");
  EXPECT_GT(on_few, 15.0 / 2);
  EXPECT_LT(on_few, 15.0 * 2);
}

TEST(CpuTime, of_closed_loops_ends_where_they_are_steady) {
  const auto seconds = [](const std::string& run) {
    return expected_of(on_h200(", streams: 8", "run: {" + run + "}\n"));
  };
  EXPECT_DOUBLE_EQ(seconds("duration: 10 s"), seconds("duration: 100 s"));
  EXPECT_GT(seconds("duration: 100 s, every_kernel: true"), 50 * seconds("duration: 100 s"));
}

// Four MPS clients that launch kernel by kernel took 11 s for a minute, four eager streams of one thread 2 s.
TEST(CpuTime, of_kernels_that_are_launched_one_by_one_ends_where_they_are_steady_or_is_bound_by_the_host) {
  const auto seconds = [](const std::string& process, const std::string& length) {
    return expected_of("device: nvidia-h200\nmps: true\nprocesses: [{model: resnet50, precision: fp16, " +
                       process + "}]\nrun: {duration: " + length + "}\n");
  };
  const std::string clients = "batch: 16, runtime: tensorrt, count: 4",
                    streams = "batch: 32, runtime: eager, streams: 4";
  EXPECT_DOUBLE_EQ(seconds(clients, "60 s"), seconds(clients, "600 s"));
  EXPECT_GT(seconds(clients, "60 s"), 11.0 / 3);
  EXPECT_LT(seconds(clients, "60 s"), 11.0 * 3);
  EXPECT_LT(seconds(streams, "60 s"), 1.5 * worth_telling_s);  // kernels that meet no other cost less
}

TEST(CpuTime, grows_with_the_time_that_is_simulated_and_with_replications) {
  const double once = expected_of(on_h200("", "run: {duration: 9 s, warmup: 1 s}\n"));
  EXPECT_GT(once, 0);
  EXPECT_DOUBLE_EQ(expected_of(on_h200("", "run: {duration: 99 s, warmup: 1 s}\n")), 10 * once);
  EXPECT_DOUBLE_EQ(expected_of(on_h200("", "run: {duration: 9 s, warmup: 1 s, replications: 5}\n")),
                   5 * once);
  EXPECT_GT(expected_of(on_h200(", arrivals: {poisson: 900000 /s, queue: 8}",
                                "run: {duration: 1000 s, warmup: 0 s}\n")),
            worth_telling_s);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
