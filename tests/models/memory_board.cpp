// Bandwidth on a board that runs: kernels bound by memory beside host threads that move data.

#include <gtest/gtest.h>

#include "models/board/board.hpp"
#include "models/cpu/spec.hpp"
#include "sim/engine.hpp"

namespace jostle::board {
namespace JOSTLE_FILE {

constexpr double capacity = 50e9;

DeviceSpec device(double thread_bytes_per_s, bool unified = true) {
  DeviceSpec spec;
  spec.name = "test";
  spec.cpu->clusters = {{.name = "c", .cores = 4, .capacity = 1024, .max_clock_hz = 1e9}};
  spec.cpu->reference_clock_hz = 1e9;
  spec.cpu->scheduler = {.policy = &cpu::cfs,
                         .tick = sim::milliseconds(4),
                         .latency = sim::milliseconds(6),
                         .min_granularity = sim::milliseconds(1),
                         .wakeup_granularity = sim::milliseconds(1)};
  spec.gpu.sm_count = 1;
  spec.gpu.time_slicing.slice = sim::milliseconds(1);
  spec.memory.unified = unified;
  spec.memory.interference = 0.2;
  process::RuntimeSpec& eager = spec.runtimes[process::Runtime::eager].emplace();
  eager.per_launch = sim::microseconds(80);
  eager.memory_bytes_per_s = thread_bytes_per_s;
  spec.sync.poll = sim::microseconds(1);
  return spec;
}

// 100 kernels of 0.1 ms that move what the memory can in their memory-bound part.
process::Spec process(double bound) {
  gpu::Kernel kernel;
  kernel.duration = sim::microseconds(100);
  kernel.compute_share = static_cast<float>(1 - bound);
  kernel.memory_share = static_cast<float>(bound);
  kernel.dram_bytes = static_cast<float>(bound * 100e-6 * capacity);
  process::Spec spec;
  spec.name = "p";
  spec.runtime = process::Runtime::eager;
  spec.sync = process::Sync::spin;
  spec.kernels.edit().kernels.assign(100, kernel);
  spec.kernels.edit().rebuild_finish();
  return spec;
}

// Batches per second of a lone process, its thread launching nearly all the time.
double rate(double bound, double thread_bytes_per_s, bool unified = true) {
  sim::Engine engine;
  const Setup setup{
      .cores = {}, .clocks = {}, .memory_bytes_per_s = capacity, .processes = {process(bound)}, .seed = 1};
  Board board(engine, device(thread_bytes_per_s, unified), setup);
  engine.run(sim::Time::zero() + sim::seconds(2));
  return static_cast<double>(board.processes().front().batches()) / 2;
}

TEST(BandwidthOnABoard, costs_nothing_while_all_demands_fit) {
  EXPECT_EQ(rate(0.5, 10e9), rate(0.5, 0));
}

TEST(BandwidthOnABoard, slows_kernels_bound_by_memory_beside_threads_that_stream) {
  const double alone = rate(1, 0);
  EXPECT_LT(rate(1, 10e9), 0.9 * alone);
  EXPECT_LT(rate(1, 20e9), rate(1, 10e9));
}

TEST(BandwidthOnABoard, does_not_slow_kernels_that_only_compute) {
  EXPECT_EQ(rate(0, 40e9), rate(0, 0));
}

TEST(BandwidthOnABoard, is_not_shared_where_the_card_has_its_own) {
  EXPECT_EQ(rate(1, 20e9, false), rate(1, 0));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::board
