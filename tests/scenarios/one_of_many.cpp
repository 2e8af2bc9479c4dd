// Runs of which there are many: steady streams repeat their batches sooner, and the mean over the runs is the
// same.
#include <gtest/gtest.h>

#include "scenarios/language/scenario.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

struct Mean {
  double rate = 0, p99_ms = 0, repeated = 0;
};

Mean mean_of(const std::string& process, Among among) {
  constexpr int runs = 5;
  Mean mean;
  for (int seed = 1; seed <= runs; ++seed) {
    const Scenario scenario =
        scenario_of("device: nvidia-h200\nprocesses: [" + process +
                    "]\nrun: {duration: 500 ms, warmup: 200 ms, seed: " + std::to_string(seed) + "}\n");
    RunControl control;
    control.among = among;
    control.every_percentile = true;
    const Result result = run(scenario, control).value();
    mean.rate += result.system.throughput.value() / runs;
    mean.p99_ms += result.processes[0].latency_ms.p99.value() / runs;
    mean.repeated += result.system.gpu.repeated.value_or(0) / runs;
  }
  return mean;
}

TEST(OneOfMany, runs_of_streams_repeat_more_and_agree_in_the_mean) {
  for (const std::string process :
       {"{model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin, streams: 8}",
        "{model: mobilenet_v2, precision: fp16, batch: 16, runtime: cuda-graph, sync: spin, streams: 4}",
        "{model: resnet50, precision: fp16, runtime: cuda-graph, sync: spin, count: 2, streams: 4}"}) {
    const Mean alone = mean_of(process, Among::none), many = mean_of(process, Among::repetitions);
    EXPECT_GE(many.repeated, alone.repeated) << process;
    EXPECT_NEAR(many.rate / alone.rate, 1, 0.005) << process;
    EXPECT_NEAR(many.p99_ms / alone.p99_ms, 1, 0.02) << process;
    const Mean draws = mean_of(process, Among::draws);
    EXPECT_GE(draws.repeated, many.repeated) << process;
    EXPECT_NEAR(draws.rate / alone.rate, 1, 0.01) << process;
    EXPECT_NEAR(draws.p99_ms / alone.p99_ms, 1, 0.03) << process;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
