// Dense products in place of a network.
#include <gtest/gtest.h>

#include <string>

#include "profiles/profile/profile.hpp"
#include "scenarios/language/load.hpp"
#include "scenarios/language/network.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/run.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

std::string text_with(const std::string& model, const std::string& more) {
  return "device: nvidia-h100\nprocesses:\n  - {model: " + model +
         ", precision: fp16, runtime: cuda-graph, sync: spin" + more +
         "}\nrun: {duration: 400 ms, warmup: 60 ms}\n";
}

std::optional<Scenario> load(const std::string& text, input::Problems& problems) {
  return parse_scenario({text, "test", ""}, shipped_catalogue(), {}, problems);
}

TEST(Products, are_read_and_echoed) {
  input::Problems problems;
  const auto scenario = load(text_with("{products: 512, layers: 3}", ", batch: 16384"), problems);
  ASSERT_TRUE(scenario) << problems.text();
  EXPECT_EQ(model_name(scenario->processes.front().work.model), "products_512x3");
  EXPECT_EQ(network_of(scenario->processes.front())->macs(), 3 * 512 * 512);
  EXPECT_NE(to_json(*scenario).find(R"("products":512)"), std::string::npos);
}

TEST(Products, have_no_input_and_a_limited_batch) {
  for (const char* more : {", input: 224", ", batch: 16385"}) {
    input::Problems problems;
    EXPECT_FALSE(load(text_with("{products: 512}", more), problems)) << more;
  }
  input::Problems problems;
  EXPECT_FALSE(load(text_with("{products: 0, layers: 3}", ""), problems));
}

// An H100 at its power limit took 13.31 ms for eight of them at 1317 MHz.
TEST(Products, of_8192_reach_the_rate_of_tensor_cores) {
  input::Problems problems;
  const auto scenario = load(text_with("{products: 8192, layers: 8}", ", batch: 8192"), problems);
  const auto profile = profiles::shipped_profile("nvidia-h100", problems);
  ASSERT_TRUE(scenario && profile) << problems.text();
  const auto result = run(*scenario, *profile, {});
  const double ms = 8192 / result->processes.front().throughput.mean.value() * 1e3;
  // The SMs' own clock is then 1298 MHz, by the profile's law.
  EXPECT_NEAR(ms * result->system.gpu.clock_effective_mhz.value() / 1298, 13.31, 0.6);
  EXPECT_LT(result->system.gpu.clock_effective_mhz.value(), result->system.gpu.clock_mhz.value());
}

// A network beside products of 8192 has SMs in their last round only. Measured were 54 and 56 images/s in two
// sessions (evidence/h200-space/beside_products.csv), 1171 alone.
TEST(Products, beside_a_network_leave_it_their_last_tiles) {
  input::Problems problems;
  const auto scenario = load(
      "device: nvidia-h200\nprocesses:\n  - runtime: cuda-graph\n    sync: spin\n    instances:\n"
      "      - {model: {products: 8192, layers: 8}, precision: fp16, batch: 8192}\n"
      "      - {model: resnet50, precision: fp16, batch: 1}\n"
      "run: {duration: 1 s, warmup: 500 ms}\n",
      problems);
  const auto profile = profiles::shipped_profile("nvidia-h200", problems);
  ASSERT_TRUE(scenario && profile) << problems.text();
  const auto result = run(*scenario, *profile, {});
  EXPECT_NEAR(result->processes.front().instances.back().throughput.mean.value(), 54, 12);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
