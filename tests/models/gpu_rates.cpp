// What a change of the GPU's rates does to kernels, by figures that can be worked out on paper.
#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "models/gpu/clocks.hpp"
#include "models/gpu/retimed.hpp"
#include "tests/models/gpu_support.hpp"

namespace jostle::gpu::test {
namespace JOSTLE_FILE {

using process::Runtime;
using process::Sync;
using sim::Duration;
using sim::microseconds;
using sim::milliseconds;
using sim::Time;

constexpr Time at_time(Duration since_start) {
  return Time::zero() + since_start;
}

gpu::Kernel kernel_of(Duration duration, float compute, float memory) {
  return {.duration = duration,
          .compute_share = compute,
          .memory_share = memory,
          .fixed_share = 1 - compute - memory};
}

// Asks for one batch, at the start.
process::Spec one_batch(std::vector<gpu::Kernel> kernels, Runtime runtime = Runtime::cuda_graph) {
  process::Spec spec = process_with(runtime, Sync::blocking, sequence(std::move(kernels)));
  spec.arrivals.kind = process::ArrivalKind::trace;
  spec.arrivals.times = {Time::zero()};
  return spec;
}

struct Simulated {
  Simulated(const board::DeviceSpec& device, std::vector<process::Spec> processes,
            std::vector<RateChange> rates, Which which = Which::fast)
      : changes(std::move(rates)),
        bench(device, {.cores = {}, .clocks = {}, .processes = std::move(processes), .seed = 1}, which) {
    schedule(bench.engine, bench.board.gpu(), changes);
    bench.run_for(milliseconds(20));
  }
  [[nodiscard]] Time end(std::size_t kernel) const { return bench.recording.kernels.at(kernel).end; }

  std::vector<RateChange> changes;
  Bench bench;
};

TEST(GpuRates, a_kernel_under_way_keeps_its_fraction_and_each_part_goes_by_its_own_rate) {
  for (const Which which : {Which::fast, Which::reference}) {
    // Half of each done in 0.5 ms. What is left of 0.5 ms, of each part alone and of a mixture:
    const RateChange change{at_time(microseconds(500)), {.clock = 2, .memory = 0.5}};
    const auto end_of = [&](float compute, float memory) {
      return Simulated(free_device(1), {one_batch({kernel_of(milliseconds(1), compute, memory)})}, {change},
                       which)
          .end(0);
    };
    EXPECT_EQ(end_of(1, 0), at_time(microseconds(750)));
    EXPECT_EQ(end_of(0, 1), at_time(microseconds(1500)));
    EXPECT_EQ(end_of(0, 0), at_time(microseconds(1000)));
    EXPECT_EQ(end_of(0.5F, 0.25F), at_time(microseconds(1000)));  // 0.5 · (0.25 + 0.5 + 0.25)
  }
}

TEST(GpuRates, what_comes_after_runs_at_the_new_rates_and_what_is_done_stays) {
  const Simulated run(
      free_device(1), {one_batch(std::vector<gpu::Kernel>(4, kernel_of(microseconds(100), 1, 0)))},
      {{at_time(microseconds(150)), {.clock = 0.5, .memory = 1}}, {at_time(microseconds(450)), {}}});
  ASSERT_EQ(run.bench.recording.kernels.size(), 4U);
  EXPECT_EQ(run.end(0), at_time(microseconds(100)));
  EXPECT_EQ(run.end(1), at_time(microseconds(250)));
  EXPECT_EQ(run.end(2), at_time(microseconds(450)));
  EXPECT_EQ(run.end(3), at_time(microseconds(550)));
}

TEST(GpuRates, time_is_booked_to_what_bound_it_at_the_rates_of_the_time) {
  // First 0.5 ms half and half; then 0.125 ms of arithmetic and 0.5 ms of memory.
  Simulated run(free_device(1), {one_batch({kernel_of(milliseconds(1), 0.5F, 0.5F)})},
                {{at_time(microseconds(500)), {.clock = 2, .memory = 0.5}}});
  const Running running = run.bench.board.processes()[0].running();
  EXPECT_EQ(running.total, microseconds(1125));
  EXPECT_NEAR(running.used.compute, 375e-6, 1e-10);
  EXPECT_NEAR(running.used.memory, 750e-6, 1e-10);
  EXPECT_NEAR(running.fixed(), 0, 1e-10);
}

TEST(GpuRates, a_preempted_kernel_goes_on_at_the_rates_of_its_next_turn) {
  // Slices of 2 ms, no costs. The first is at 2/3 when it is preempted. The second is at 1/3 when the clock
  // doubles, and needs one millisecond more; then the first goes on, for half a millisecond.
  const Simulated run(
      free_device(2),
      {one_batch({kernel_of(milliseconds(3), 1, 0)}), one_batch({kernel_of(milliseconds(3), 1, 0)})},
      {{at_time(milliseconds(3)), {.clock = 2, .memory = 1}}});
  const std::vector<Stamp>& kernels = run.bench.recording.kernels;
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0], (Stamp{1, at_time(milliseconds(2)), at_time(milliseconds(4))}));
  EXPECT_EQ(kernels[1], (Stamp{0, at_time(milliseconds(0)), at_time(milliseconds(4.5))}));
}

TEST(GpuRates, a_kernel_that_drains_ends_its_turn_where_it_would_have) {
  board::DeviceSpec device = free_device(2);
  device.gpu.time_slicing.granularity = PreemptionGranularity::kernel;
  // The slice ends at 2 ms, the kernel would at 3; a third of it is left at 2, a sixth at 2.5.
  const Simulated run(device,
                      {one_batch({kernel_of(milliseconds(3), 1, 0), kernel_of(milliseconds(1), 1, 0)}),
                       one_batch({kernel_of(milliseconds(1), 1, 0)})},
                      {{at_time(milliseconds(2.5)), {.clock = 0.5, .memory = 1}}});
  EXPECT_EQ(run.bench.recording.turns[0].end, at_time(milliseconds(3.5)));
  EXPECT_EQ(run.end(0), at_time(milliseconds(3.5)));
}

TEST(GpuRates, the_front_end_and_gaps_between_batches_take_as_long_as_before) {
  board::DeviceSpec device = free_device(1);
  device.runtimes[Runtime::eager]->gpu_per_launch = microseconds(10);
  const Simulated run(
      device, {one_batch(std::vector<gpu::Kernel>(2, kernel_of(microseconds(100), 1, 0)), Runtime::eager)},
      {{at_time(microseconds(115)), {.clock = 2, .memory = 1}}});
  EXPECT_EQ(run.end(0), at_time(microseconds(110)));
  EXPECT_EQ(run.end(1), at_time(microseconds(120 + 50)));  // in the front end when the clock changed
}

TEST(GpuRates, at_a_lower_clock_warps_cannot_be_at_work_for_longer_than_they_are_there) {
  gpu::Kernel kernel = kernel_of(microseconds(100), 0.05F, 0.9F);
  kernel.sm_active = 0.9F;
  kernel.working = 0.85F;  // as they stream at the highest clock
  for (const double clock : {0.5, 0.15}) {
    const gpu::Kernel slower = at_clocks(kernel, {clock, 1});
    EXPECT_LE(slower.working, slower.sm_active) << clock;
    EXPECT_GE(slower.working, kernel.working) << clock;
  }
}

// The SMs' own clock at a reported 1980 MHz by the activity of the tensor pipes, a share of the reported
// cycles: products in fp16 of normal numbers on an H200 (evidence/h100-power/h200_own_clock.csv), and
// networks on an H100 (evidence/h100-power).
TEST(GpuRates, tensor_work_leaves_the_clock_that_was_measured) {
  const gpu::Droop droop = gpu::droop_at({.above_hz = 1.27e9, .per_hz = 0.35e-9}, 1.98e9);
  const std::vector<std::pair<double, double>> loads{
      {0.362, 1799.5}, {0.534, 1773.8}, {0.611, 1721.9}, {0.550, 1772.1}, {0.631, 1625.9},
      {0.736, 1567},   {0.441, 1737.4}, {0.539, 1706.8}, {0.582, 1679.7}, {0.720, 1643.4},
      {0.662, 1634.9}, {0.425, 1768},   {0.104, 1920}};
  double sum = 0;
  for (const auto& [tensor, mhz] : loads) {
    const double error = std::abs(1980 * droop.speed(1, tensor) / mhz - 1);
    EXPECT_LT(error, 0.04) << tensor;
    sum += error;
  }
  EXPECT_LT(sum / static_cast<double>(loads.size()), 0.02);
}

TEST(GpuRates, tensor_work_loses_clock_at_high_clocks_and_gets_it_back_at_lower_ones) {
  const gpu::Droop droop = gpu::droop_at({.above_hz = 1.27e9, .per_hz = 0.35e-9}, 1.98e9);
  gpu::Kernel kernel = kernel_of(microseconds(100), 1, 0);
  kernel.sm_active = 1;
  EXPECT_EQ(at_clocks(kernel, {0.6, 1, droop}).duration, at_clocks(kernel, {0.6, 1}).duration);
  kernel.tensor_active = 0.735F;
  const gpu::Kernel slow = at_clocks(kernel, {0.6, 1, droop});
  EXPECT_NEAR(sim::to_us(slow.duration), 100 / 0.6 * droop.speed(1, 0.735), 0.01);
  EXPECT_NEAR(slow.tensor_active, 0.735 / droop.speed(1, 0.735), 0.001);
  EXPECT_LT(slow.duration, at_clocks(kernel, {0.6, 1}).duration);
}

TEST(GpuRates, must_be_positive) {
  sim::Engine engine;
  TimeSharedGpu gpu(engine, free_device(1).gpu);
  EXPECT_THROW(gpu.set_rates({.clock = 0, .memory = 1}), std::invalid_argument);
  EXPECT_THROW(gpu.set_rates({.clock = 1, .memory = -1}), std::invalid_argument);
}

TEST(GpuRates, of_late_are_remembered) {
  const gpu::KernelSequence given = equal_kernels(5, microseconds(10));
  RetimedKernels retimed;
  EXPECT_EQ(&retimed.at(given, {}), &given);
  const gpu::KernelSequence& slow = retimed.at(given, {.clock = 0.5, .memory = 1});
  EXPECT_EQ(slow.total(), microseconds(100));
  for (const double clock : {2.0, 4.0, 5.0})
    EXPECT_LT(retimed.at(given, {.clock = clock, .memory = 1}).total(), given.total());
  EXPECT_EQ(&retimed.at(given, {.clock = 0.5, .memory = 1}), &slow);
  EXPECT_EQ(retimed.at(given, {.clock = 10, .memory = 1}).total(), microseconds(5));
  EXPECT_EQ(retimed.at(given, {.clock = 2, .memory = 1}).total(), microseconds(25));
  EXPECT_EQ(slow.total(), microseconds(100));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::test
