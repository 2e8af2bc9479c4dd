// The two speeds of a lone process that replays a graph, against both as they were measured on the H200: the
// slower in evidence/h200-space/streams_networks.csv (one stream), the faster in mps.csv (time slicing, one
// process).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "calibration/profile/profile.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

struct Measured {
  int batch;
  double images_per_s;
};

double rate(const std::string& gaps, int batch) {
  const calibration::Profile profile =
      changed_profile("nvidia-h200", {"runtimes.cuda-graph.replay_gaps=" + gaps});
  const Result result = run_on(
      profile, fmt::format("device: nvidia-h200\nprocesses: [{{model: resnet50, precision: fp16, batch: "
                           "{}, runtime: cuda-graph, sync: spin}}]\nrun: {{duration: 500 ms, warmup: "
                           "100 ms}}\n",
                           batch));
  return result.processes.front().throughput.mean.value();
}

TEST(LoneReplay, is_slow_with_the_gaps_of_the_tables) {
  for (const auto& [batch, measured] : {Measured{1, 1176.99}, {16, 10938.38}, {64, 15541.15}})
    EXPECT_NEAR(rate("100 %", batch) / measured, 1, 0.01) << batch;
}

TEST(LoneReplay, is_fast_without_gaps) {
  for (const auto& [batch, measured] : {Measured{1, 1326.92}, {16, 11706.19}, {64, 15907.85}}) {
    EXPECT_NEAR(rate("0 %", batch) / measured, 1, 0.02) << batch;
    EXPECT_LT(rate("100 %", batch) / measured, 0.98) << batch;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
