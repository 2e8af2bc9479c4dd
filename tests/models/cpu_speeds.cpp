// The two speeds of a core.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/models/cpu_support.hpp"

namespace jostle::cpu::test {
namespace JOSTLE_FILE {

using sim::milliseconds;
using sim::seconds;

Spec of_two_speeds(double factor, double weight) {
  Spec spec = machine(2, eevdf);
  spec.two_speeds = {.factor = factor, .weight = weight, .slow = seconds(0.7)};
  return spec;
}

// Items of 1 ms that a thread alone on its core does in `duration`.
std::size_t done_in(const Spec& spec, sim::Duration duration, bool drawn, std::uint64_t seed = 1) {
  Host host(spec);
  if (drawn) host.cpu.vary_speeds(sim::RandomStream(seed, "speeds"));
  host.worker(milliseconds(1), {}, 10'000'000, {.name = "worker", .cpus = {0}});
  host.run_for(duration);
  return host.finished.size();
}

TEST(TwoSpeeds, keep_the_mean) {
  for (const double weight : {0.1, 0.35, 0.8}) {
    const Spec spec = of_two_speeds(1.6, weight);
    const auto mean = static_cast<double>(done_in(spec, seconds(2000), false));
    EXPECT_NEAR(static_cast<double>(done_in(spec, seconds(2000), true)) / mean, 1, 0.02) << weight;
    EXPECT_EQ(done_in(machine(2, eevdf), seconds(2000), false), static_cast<std::size_t>(mean))
        << "without draws a core has the mean speed";
  }
}

TEST(TwoSpeeds, are_a_factor_apart_and_last_for_less_than_a_second) {
  const Spec spec = of_two_speeds(1.6, 0.35);
  std::size_t least = 1'000'000, most = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::size_t done = done_in(spec, milliseconds(50), true, seed);
    least = std::min(least, done);
    most = std::max(most, done);
  }
  EXPECT_NEAR(static_cast<double>(most) / static_cast<double>(least), 1.6, 0.05);
  const double quick = spec.two_speeds->pace(false), slow = spec.two_speeds->pace(true);
  EXPECT_DOUBLE_EQ(quick, 1.6 * slow);
  EXPECT_NEAR(0.65 * quick + 0.35 * slow, 1, 1e-12);
  EXPECT_NEAR(sim::to_seconds(spec.two_speeds->mean_time(false)), 1.3, 1e-9);
}

TEST(TwoSpeeds, are_those_of_each_core_by_itself) {
  Host host(of_two_speeds(1.6, 0.5));
  host.cpu.vary_speeds(sim::RandomStream(7, "speeds"));
  int apart = 0;
  for (int i = 0; i < 200; ++i) {
    host.run_for(seconds(1));
    apart += host.cpu.rate_of(0) != host.cpu.rate_of(1) ? 1 : 0;
  }
  EXPECT_NEAR(apart, 100, 30);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::cpu::test
