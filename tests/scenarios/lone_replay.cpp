// The two speeds of a lone process that replays a graph, against both as they were measured. H200: the slower
// in evidence/h200-space/streams_networks.csv (one stream), the faster in mps.csv (time slicing, one
// process). H100: the slower in evidence/h100-turns (batches 1 and 8) and h100-power/heavy.csv (batches 4 to
// 64), the faster in h100/solo.csv.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "profiles/profile/profile.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

struct Measured {
  int batch;
  double images_per_s;
};

double rate(const std::string& gaps, int batch, const char* device = "nvidia-h200") {
  const profiles::Profile profile = changed_profile(device, {"runtimes.cuda-graph.replay_gaps=" + gaps});
  const Result result =
      run_on(profile, fmt::format("device: {}\nprocesses: [{{model: resnet50, precision: fp16, batch: "
                                  "{}, runtime: cuda-graph, sync: spin}}]\nrun: {{duration: 500 ms, warmup: "
                                  "100 ms}}\n",
                                  device, batch));
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

// The tables of the H100 were measured in the faster state, so the gaps of the slower are a parameter.
TEST(LoneReplay, of_an_h100_has_the_gaps_that_its_tables_lack) {
  for (const auto& [batch, measured] :
       {Measured{1, 1162.5}, {4, 4089.69}, {8, 7093.33}, {16, 10190.64}, {64, 13176.11}})
    EXPECT_NEAR(rate("100 %", batch, "nvidia-h100") / measured, 1, 0.015) << batch;
  for (const auto& [batch, measured] : {Measured{1, 1316.3}, {4, 4581.9}, {64, 13446.8}})
    EXPECT_NEAR(rate("0 %", batch, "nvidia-h100") / measured, 1, 0.01) << batch;
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
