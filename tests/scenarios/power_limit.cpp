// A card's own limit of power, in runs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "models/board/spec.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/result/result.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string on_a_card(const std::string& device, double limit_w, const std::string& process) {
  return fmt::format(
      "device: {}\npower_limit: {:.4f} W\nprocesses: [{{{}}}]\nrun: {{duration: 2 s, warmup: 4 s}}\n", device,
      limit_w, process);
}

constexpr const char* closed = "model: resnet50, precision: fp16, runtime: cuda-graph, batch: 8";
constexpr const char* large = "model: vit_l_16, precision: fp16, runtime: cuda-graph, batch: 4";
constexpr const char* camera =
    "model: resnet50, precision: fp16, runtime: cuda-graph, arrivals: {periodic: 60 /s}";
constexpr const char* batches =
    "model: resnet50, precision: fp16, runtime: cuda-graph, batch: 64, arrivals: {periodic: 7 /s}";

double watts_of(const Result& result) {
  return result.system.power_w.mean.value();
}
double rate_of(const Result& result) {
  return result.processes.front().throughput.mean.value();
}

// The card, with lower limits too than it accepts.
profiles::Profile unbounded(const std::string& device) {
  return changed_profile(device, {"gpu.power_limit.min=1 mW"});
}

const std::vector<std::string>& cards() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found = gpu_devices();
    std::erase_if(found, [](const std::string& device) {
      input::Problems problems;
      const auto profile = profiles::shipped_profile(device, problems);
      return !profile->spec->power || !profile->spec->power->limit;
    });
    return found;
  }();
  return names;
}

class Kept : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(PowerLimit, Kept, ::testing::Values(closed, large, camera, batches));

TEST_P(Kept, is_every_limit_that_the_lowest_clock_keeps_and_a_higher_one_never_costs_a_rate) {
  const bool busy = std::string(GetParam()).find("arrivals") == std::string::npos;
  int kept = 0;
  for (const std::string& device : cards()) {
    const profiles::Profile card = unbounded(device);
    const double lowest_mhz = card.spec->gpu.clock_table_hz.front() / 1e6;
    const auto at = [&](double limit_w) { return run_on(card, on_a_card(device, limit_w, GetParam())); };
    const double free_w = watts_of(at(card.spec->power->limit->budget_w));
    double watts = 0, rate = 0;
    for (const double share : {0.3, 0.4, 0.5, 0.6, 0.75, 0.9}) {
      const double limit_w = share * free_w;
      const Result result = at(limit_w);
      const std::string which = fmt::format("{} at {:.1f} W of {:.1f}", device, limit_w, free_w);
      if (result.system.gpu.clock_mhz.value() > 1.001 * lowest_mhz) {
        ++kept;
        EXPECT_LE(watts_of(result), 1.03 * limit_w) << which;
        EXPECT_THAT(result.warnings, Not(Contains(HasSubstr("power limit")))) << which;
      }
      EXPECT_GE(watts_of(result), busy ? 0.97 * limit_w : 0) << which;
      EXPECT_GE(watts_of(result), 0.995 * watts) << which;
      EXPECT_GE(rate_of(result), 0.995 * rate) << which;
      watts = watts_of(result);
      rate = rate_of(result);
    }
  }
  EXPECT_GE(kept, 18) << "nine cards, most shares";
}

TEST(PowerLimit, of_a_card_is_held_and_named_and_may_be_lowered) {
  const std::string busy = "model: resnet50, precision: fp16, batch: 64, runtime: cuda-graph";
  const Result free = run_text(on_a_card("nvidia-h100", 700, busy)),
               limited = run_text(on_a_card("nvidia-h100", 400, busy));
  EXPECT_LT(watts_of(free), 700);
  EXPECT_EQ(free.system.limited_by, "none");
  EXPECT_EQ(free.system.gpu.clock_mhz.value(), 1980);
  EXPECT_NEAR(watts_of(limited), 400, 4);
  EXPECT_EQ(limited.system.limited_by, "power_limit");
  EXPECT_LT(limited.system.gpu.clock_mhz.value(), 1700);
  EXPECT_LT(rate_of(limited), rate_of(free));
  EXPECT_GT(limited.processes.front().gpu_running_by.throttled.value(), 0);
}

TEST(PowerLimit, that_the_lowest_clock_does_not_keep_is_told_unless_the_figures_read_alike) {
  const auto at = [](double limit_w) {
    return run_on(unbounded("nvidia-l4"), on_a_card("nvidia-l4", limit_w, closed));
  };
  const Result lowest = at(1);
  EXPECT_EQ(lowest.system.gpu.clock_mhz.value(), 210);
  EXPECT_THAT(lowest.warnings, Contains(HasSubstr("the power limit of 1 W is not met: ")));
  EXPECT_THAT(at(watts_of(lowest) / 1.02).warnings, Contains(HasSubstr("is not met: ")));
  EXPECT_THAT(at(watts_of(lowest) / 1.002).warnings, Not(Contains(HasSubstr("is not met: "))));
}

TEST(PowerLimit, of_a_profile_is_not_below_the_lowest_that_it_says_the_card_accepts) {
  EXPECT_THAT([] { (void)changed_profile("nvidia-t4", {"gpu.power_limit.budget=50 W"}); },
              ::testing::ThrowsMessage<std::runtime_error>(HasSubstr("min must not be above budget")));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
