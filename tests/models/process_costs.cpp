// What a process pays its runtime, with a static graph and under an observer, and what it pays once.

#include <gtest/gtest.h>

#include "models/process/costs.hpp"

namespace jostle::process {
namespace JOSTLE_FILE {

using sim::microseconds;
using sim::milliseconds;
using sim::seconds;

const RuntimeSpec eager{.per_launch = microseconds(100),
                        .per_batch = microseconds(200),
                        .per_node = {},
                        .gap_beyond_tables = {},
                        .api_share = 0.5,
                        .gpu_per_launch = microseconds(1),
                        .variation = 0,
                        .working_set_bytes = 0,
                        .setup = {.start = seconds(2), .load_bytes_per_s = 1e8, .first_batch = seconds(1)},
                        .static_graph = StaticGraphSpec{.host_time = 0.6,
                                                        .compute = 0.9,
                                                        .compile = milliseconds(500),
                                                        .compile_per_node = milliseconds(10)},
                        .fp16_of_fp32 = {}};

Spec process_of(std::size_t kernels) {
  Spec spec;
  spec.runtime = Runtime::eager;
  spec.kernels.edit().kernels.resize(kernels);
  spec.weights_bytes = 5e7;
  return spec;
}

ObserverSpec stamping(sim::Duration per_launch, sim::Duration per_batch, sim::Duration gpu_per_launch) {
  ObserverSpec observer;
  observer.per_launch = per_launch;
  observer.per_batch = per_batch;
  observer.gpu_per_launch = gpu_per_launch;
  return observer;
}

TEST(RuntimeCosts, are_the_runtimes_own_without_a_static_graph_and_an_observer) {
  const RuntimeSpec costs = runtime_of(eager, process_of(8), nullptr);
  EXPECT_EQ(costs.per_launch, eager.per_launch);
  EXPECT_EQ(costs.per_batch, eager.per_batch);
  EXPECT_EQ(costs.api_share, eager.api_share);
}

TEST(RuntimeCosts, shrink_on_the_host_with_a_static_graph) {
  Spec spec = process_of(8);
  spec.static_graph = true;
  const RuntimeSpec costs = runtime_of(eager, spec, nullptr);
  EXPECT_EQ(costs.per_launch, microseconds(60));
  EXPECT_EQ(costs.per_batch, microseconds(120));
}

TEST(RuntimeCosts, grow_inside_the_calls_under_an_observer) {
  const ObserverSpec observer = stamping(microseconds(20), microseconds(40), microseconds(3));
  const RuntimeSpec costs = runtime_of(eager, process_of(8), &observer);
  EXPECT_EQ(costs.per_launch, microseconds(120));
  EXPECT_EQ(costs.per_batch, microseconds(240));
  EXPECT_EQ(costs.gpu_per_launch, microseconds(4));
  // 1 ms of its own, half of it inside calls, and 0.2 ms more that all is.
  EXPECT_DOUBLE_EQ(costs.api_share, (0.5 + 0.2) / 1.2);
}

TEST(RuntimeCosts, of_a_graph_grow_by_one_call) {
  Spec spec = process_of(8);
  spec.runtime = Runtime::cuda_graph;
  const RuntimeSpec graph{.per_launch = microseconds(30),
                          .per_batch = {},
                          .per_node = microseconds(2),
                          .gap_beyond_tables = {},
                          .gpu_per_launch = {},
                          .setup = {},
                          .static_graph = {},
                          .fp16_of_fp32 = {}};
  const ObserverSpec observer = stamping(microseconds(20), {}, {});
  EXPECT_EQ(runtime_of(graph, spec, &observer).per_launch, microseconds(50));
  EXPECT_EQ(runtime_of(graph, spec, &observer).per_node, microseconds(2));
}

TEST(RuntimeCosts, of_inference_on_the_cpu_have_no_calls_to_observe) {
  Spec spec = process_of(0);
  spec.runtime = Runtime::cpu;
  const ObserverSpec observer = stamping(microseconds(20), microseconds(40), microseconds(3));
  EXPECT_EQ(runtime_of(eager, spec, &observer).per_batch, eager.per_batch);
}

TEST(Kernels, run_longer_under_an_observer_and_keep_busy_what_they_did) {
  Spec spec = process_of(8);
  for (gpu::Kernel& kernel : spec.kernels.edit().kernels) {
    kernel.duration = microseconds(10);
    kernel.sm_active = 0.8F;
  }
  spec.kernels.edit().rebuild_finish();
  EXPECT_EQ(observed(spec, nullptr).kernels->total(), microseconds(80));
  ObserverSpec observer;
  observer.kernel_time = 2;
  const Spec slower = observed(spec, &observer);
  EXPECT_EQ(slower.kernels->total(), microseconds(160));
  EXPECT_NEAR(slower.kernels->used.back().sm_active, 0.8 * 160e-6, 1e-10);
}

TEST(Setup, is_the_start_the_weights_the_first_batch_and_what_is_compiled) {
  Spec spec = process_of(8);
  EXPECT_EQ(setup_of(eager, spec), seconds(3.5));
  spec.static_graph = true;
  EXPECT_EQ(setup_of(eager, spec), seconds(3.5) + milliseconds(580));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::process
