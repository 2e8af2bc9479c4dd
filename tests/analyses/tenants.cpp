// Containers, real-time threads, interrupts, a compositor, and turns on the GPU: keys, messages, echo,
// effects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analyses/explain/shares.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/result/result_text.hpp"
#include "tests/scenarios/runs.hpp"
#include "tests/scenarios/support.hpp"

namespace jostle::scenarios::testing {
namespace JOSTLE_FILE {

using ::testing::HasSubstr;
using ::testing::Not;

// Processes that spin while the GPU works for 5 ms.
std::string spinners(const std::string& keys, const std::string& rest = {}, int count = 1) {
  return "device: nvidia-h200\n" + rest +
         "host_cores: 4\nprocesses:\n"
         "  - {model: {kernels: 100, duration: 50 us, blocks: 132, threads: 256}, runtime: cuda-graph, sync: "
         "spin, "
         "count: " +
         std::to_string(count) + (keys.empty() ? "" : ", " + keys) + "}\nrun: {duration: 2 s}\n";
}

TEST(AContainer, is_read_and_echoed) {
  const Loaded loaded = load_text(around(plain_process + ", count: 2, container: {name: a, cpus: 1.5}"));
  ASSERT_EQ(loaded.errors, "");
  const auto& container = loaded.scenario->processes[0].host.container;
  ASSERT_TRUE(container);
  EXPECT_EQ(container->cpus, 1.5);
  EXPECT_EQ(container->shares, 1024);
  EXPECT_THAT(to_json(*loaded.scenario), HasSubstr(R"("container":{"name":"a","cpus":1.5,"shares":1024})"));
}

TEST(AContainer, that_is_named_again_is_the_same_one) {
  const std::string two = "device: nvidia-h200\nprocesses:\n  - {" + plain_process +
                          ", container: {name: a, cpus: 2, shares: 512}}\n  - {" + plain_process;
  const Loaded again = load_text(two + ", container: {name: a}}\n");
  ASSERT_EQ(again.errors, "");
  EXPECT_EQ(again.scenario->processes[1].host.container->cpus, 2);
  EXPECT_EQ(again.scenario->processes[1].host.container->shares, 512);
  EXPECT_THAT(load_text(two + ", container: {name: a, cpus: 3}}\n").errors,
              HasSubstr("processes.1.container: processes.0 gives container a other cpus or shares"));
}

TEST(AContainer, refuses_what_docker_or_the_kernel_would) {
  const auto errors = [](const std::string& keys) {
    return load_text(around(plain_process + ", " + keys)).errors;
  };
  EXPECT_THAT(errors("container: {cpus: 1}"), HasSubstr("name"));
  EXPECT_THAT(errors("container: {name: a, cpus: 0}"), HasSubstr("container.cpus"));
  EXPECT_THAT(errors("container: {name: a, shares: 1}"), HasSubstr("container.shares"));
  EXPECT_THAT(errors("container: {name: a}, policy: {fifo: 5}"), HasSubstr("cannot be combined with policy"));
  EXPECT_THAT(errors("nice: 3, policy: {fifo: 5}"), HasSubstr("cannot be combined with policy"));
  EXPECT_THAT(errors("policy: {fifo: 100}"), HasSubstr("policy.fifo"));
  EXPECT_THAT(errors("policy: {rr: 5}"), HasSubstr("rr"));
}

TEST(AContainer, is_throttled_for_what_its_quota_lacks_and_explain_says_so) {
  const Result result = run_text(spinners("container: {name: a, cpus: 0.5}"));
  ASSERT_TRUE(result.processes[0].throttled_share);
  EXPECT_NEAR(*result.processes[0].throttled_share, 0.5, 0.03);
  EXPECT_EQ(result.processes[0].throttled_by, "container");
  EXPECT_THAT(analyses::held_back(result, {0}), HasSubstr("throttled by its container for "));
  EXPECT_THAT(analyses::held_back(result, {0}), HasSubstr(" ms of every 100"));
  EXPECT_THAT(to_json(result), HasSubstr("throttled_share"));
}

TEST(AContainer, with_as_many_cpus_as_cores_changes_no_figure) {
  Result plain = run_text(spinners("", "clocks: {cores: 4}\n", 5));
  Result contained = run_text(spinners("container: {name: a, cpus: 4}", "clocks: {cores: 4}\n", 5));
  for (ProcessResult& process : contained.processes) {
    EXPECT_EQ(process.throttled_share, 0.0);
    EXPECT_EQ(process.throttled_by, "container");
    process.throttled_share.reset();
    process.throttled_by.clear();
  }
  for (Result* const result : {&plain, &contained}) result->resolved = result->scenario_hash = "";
  EXPECT_EQ(to_json(plain), to_json(contained));
  EXPECT_THAT(to_json(plain), Not(HasSubstr("throttled_share")));
}

TEST(ARealTimeProcess, is_held_to_95_percent_of_its_core_by_kernels_before_6_12) {
  const std::string on_h200 = spinners("policy: {fifo: 50}");
  const Result free = run_text(on_h200);  // 6.18
  EXPECT_EQ(free.processes[0].throttled_share, 0.0);
  EXPECT_EQ(analyses::held_back(free, {0}), "");
  const std::string rest =
      on_h200.substr(on_h200.find("host_cores: 4\n") + std::string_view("host_cores: 4\n").size());
  const Result result = run_text("device: jetson-orin-nano\n" + rest);  // 5.15
  EXPECT_NEAR(*result.processes[0].throttled_share, 0.05, 0.01);
  EXPECT_THAT(analyses::held_back(result, {0}), HasSubstr("throttled as a real-time thread for "));
}

TEST(InterruptsOnACore, take_time_from_what_runs_there) {
  const auto with = [](const std::string& load) {
    return run_text(
        "device: nvidia-h200\nclocks: {cores: 1}\n" + load +
        "processes:\n  - {model: {kernels: 200, duration: 5 us, blocks: 132, threads: 256, pace: 15 us}, "
        "runtime: cuda-graph, sync: spin}\nrun: {duration: 2 s}\n");
  };
  const Result plain = with(""), interrupted = with("interrupts: {cpu: 0, load: 20 %}\n");
  EXPECT_FALSE(plain.system.cpu.interrupted);
  EXPECT_NEAR(*interrupted.system.cpu.interrupted, 0.2, 0.01);
  EXPECT_NEAR(*interrupted.processes[0].throughput.mean / *plain.processes[0].throughput.mean, 0.8, 0.02);
  EXPECT_THAT(load_text(around(plain_process, "interrupts: {cpu: 0}\n")).errors, HasSubstr("load"));
  EXPECT_THAT(load_text(around(plain_process, "interrupts: {load: 99 %}\n")).errors,
              HasSubstr("interrupts.load"));
}

TEST(ACompositor, takes_turns_on_the_gpu_from_the_processes) {
  const Result plain = run_text(spinners("")),
               beside = run_text(spinners("", "compositor: {rate: 60 /s, time: 2 ms}\n"));
  EXPECT_FALSE(plain.system.gpu.compositor);
  EXPECT_NEAR(*beside.system.gpu.compositor, 0.12, 0.01);
  EXPECT_LT(*beside.processes[0].throughput.mean, 0.9 * *plain.processes[0].throughput.mean);
  EXPECT_EQ(analyses::tenants(beside).size(), 1U);
  EXPECT_TRUE(analyses::tenants(plain).empty());
  EXPECT_EQ(run_text(spinners("", "compositor: false\n")).system.gpu.compositor, std::nullopt);
}

TEST(TurnsOnTheGpu, are_as_long_and_as_many_as_each_process_says) {
  const auto two = [](const std::string& first, const std::string& second) {
    const std::string process =
        "  - {model: {kernels: 2000, duration: 50 us, blocks: 132, threads: 256}, runtime: cuda-graph";
    return run_text("device: nvidia-h200\nprocesses:\n" + process + first + "}\n" + process + second +
                    "}\nrun: {duration: 10 s}\n");
  };
  const auto rate = [](const Result& result, std::size_t i) { return *result.processes[i].throughput.mean; };
  const Result sliced = two(", gpu_timeslice: 8 ms", ", gpu_timeslice: 2 ms");
  EXPECT_NEAR(rate(sliced, 0) / rate(sliced, 1), 4, 0.4);
  const Result equal = two("", ", gpu_interleave: high");  // with two there is nothing to interleave
  EXPECT_NEAR(rate(equal, 0) / rate(equal, 1), 1, 0.05);
  EXPECT_THAT(load_text(around(plain_process + ", gpu_timeslice: 60 ms")).errors, HasSubstr("gpu_timeslice"));
  EXPECT_THAT(load_text(around(plain_process + ", gpu_interleave: top")).errors,
              HasSubstr("level of interleaving"));
}

TEST(TurnsOnTheGpu, come_to_a_high_process_between_all_others) {
  const std::string process =
      "{model: {kernels: 2000, duration: 50 us, blocks: 132, threads: 256}, runtime: cuda-graph";
  const Result result = run_text("device: nvidia-h200\nprocesses:\n  - " + process + ", count: 3}\n  - " +
                                 process + ", gpu_interleave: high}\nrun: {duration: 10 s}\n");
  const double low = *result.processes[0].throughput.mean, high = *result.processes[3].throughput.mean;
  EXPECT_NEAR(high / low, 3, 0.3);
}

TEST(Echo, of_every_tenant_is_a_scenario_again) {
  const Loaded loaded =
      load_text(around(plain_process + ", policy: {fifo: 7}, gpu_timeslice: 5 ms, gpu_interleave: medium",
                       "interrupts: {cpu: 1, load: 5 %}\ncompositor: true\n"));
  ASSERT_EQ(loaded.errors, "");
  const std::string echo = to_json(*loaded.scenario);
  const Loaded again = load_text(echo);
  ASSERT_EQ(again.errors, "");
  EXPECT_EQ(to_json(*again.scenario), echo);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::scenarios::testing
