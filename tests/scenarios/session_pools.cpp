// Pools of threads that sessions of ONNX Runtime keep beside a GPU (`threads` of a session).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "models/process/runtimes.hpp"
#include "profiles/profile/profile.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/assemble.hpp"
#include "tests/scenarios/runs.hpp"

namespace jostle::scenarios {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;
using testing::run_text;
using testing::scenario_of;

std::string clients(int count, const std::string& rest, const std::string& runtime = "onnxruntime") {
  return fmt::format(
      "device: nvidia-h200\nprocesses:\n  - {{model: {{kernels: 200, duration: 4 us, blocks: 8, threads: "
      "256}}, "
      "runtime: {}, count: {}, stages: [{{name: simulation, time: 10 ms}}, infer]{}}}\n"
      "run: {{duration: 4 s, warmup: 1 s}}\n",
      runtime, count, rest);
}
double rate(int count, const std::string& rest) {
  return run_text(clients(count, rest)).system.throughput.value();
}

// Measured on an H200 with 16 cores: processes that compute for 10 ms, cast 1,228,800 elements in a session
// with 15 threads more, or none, and launch 200 small kernels: 2.76 times as many steps in one thread each by
// 8 of them, 2.83 by 12 and 3.25 by 16. Here each thread has the same share of a core. A report of a wider
// machine, whose clients do less on its cores, has 1.16, 1.26 and 1.34.
TEST(SessionPools, as_wide_as_the_machine_slow_clients_that_need_its_cores_several_times) {
  for (const int count : {8, 12, 16}) {
    const double slower = rate(count, ", threads: 1") / rate(count, ", threads: default");
    EXPECT_GT(slower, 2) << count;
    EXPECT_LT(slower, 6) << count;
  }
}

TEST(SessionPools, of_two_threads_cost_nothing_while_each_thread_has_a_core) {
  const double one = rate(8, ", threads: 1");
  EXPECT_NEAR(rate(8, ", threads: 2") / one, 1, 0.01);
  EXPECT_LT(rate(16, ", threads: 2") * 1.2, rate(16, ", threads: 1"));
  EXPECT_NEAR(rate(1, ", threads: default") / rate(1, ", threads: 1"), 1, 0.01);
}

// The provider for cores has the same pools, in a session on a GPU and without one.
TEST(SessionPools, spin_as_long_as_those_of_the_provider_for_cores) {
  const auto spins = [](const std::string& device) {
    const Scenario scenario =
        scenario_of("device: " + device +
                    "\nprocesses: [{model: resnet50, precision: fp16, runtime: onnxruntime, threads: 4}]\n");
    input::Problems problems;
    const auto profile = profiles::find_profile(device, problems);
    return assemble(scenario, *profile).setup.processes.front().pool.spins;
  };
  const process::RuntimeTraits& on_cores = process::traits_of(process::Runtime::onnxruntime_cpu);
  EXPECT_EQ(spins("jetson-agx-orin-64gb"), sim::milliseconds(on_cores.spins_ms));
  EXPECT_GT(spins("nvidia-h200"), 10 * spins("jetson-agx-orin-64gb")) << "x86 pauses behind each look";
}

TEST(SessionPools, of_one_thread_are_none) {
  EXPECT_EQ(rate(12, ", threads: 1"), rate(12, ""));
}

TEST(SessionPools, have_a_thread_for_each_core_of_the_machine_whatever_the_affinity) {
  const Scenario scenario = scenario_of(clients(1, ", threads: default, cpus: [0, 1]"));
  EXPECT_EQ(scenario.processes[0].host.threads, 16);
}

TEST(SessionPools, have_one_problem_for_a_word_that_is_not_a_number) {
  input::Problems problems;
  EXPECT_FALSE(
      parse_scenario({clients(1, ", threads: defalt"), "pool.yaml", ""}, shipped_catalogue(), {}, problems));
  EXPECT_THAT(problems.text(), HasSubstr("a number of threads, or default"));
  EXPECT_EQ(problems.text().find("a session of"), std::string::npos);
}

TEST(SessionPools, are_refused_of_runtimes_without_them) {
  for (const char* runtime : {"tensorrt", "cuda-graph", "eager"}) {
    input::Problems problems;
    EXPECT_FALSE(parse_scenario({clients(1, ", threads: 4", runtime), "pool.yaml", ""}, shipped_catalogue(),
                                {}, problems));
    EXPECT_THAT(problems.text(), HasSubstr("a session of ONNX Runtime")) << runtime;
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios
