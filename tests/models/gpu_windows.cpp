// The GPU sampled in windows, on a periodic load whose distribution can be worked out by hand.
#include "models/board/gpu_windows.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "tests/models/gpu_support.hpp"

namespace jostle::gpu::test {
namespace JOSTLE_FILE {

using sim::Duration;
using sim::microseconds;
using sim::milliseconds;
using sim::Time;

// A kernel of 50 us every 400 us, from 25 us on.
process::Spec periodic_kernel(const gpu::Kernel& kernel, Duration phase) {
  process::Spec spec =
      process_with(process::Runtime::cuda_graph, process::Sync::blocking, sequence({kernel}));
  spec.arrivals.kind = process::ArrivalKind::periodic;
  spec.arrivals.rate_per_s = 2500;
  spec.arrivals.phase = phase;
  return spec;
}

void run_in_windows(Bench& bench, board::GpuWindows& windows, Duration duration) {
  const Time end = bench.engine.now() + duration;
  while (windows.end() <= end) {
    bench.engine.run(windows.end());
    windows.sample();
  }
}

TEST(GpuWindows, of_a_periodic_load_are_distributed_as_on_paper) {
  board::Setup setup;
  const gpu::Kernel kernel{.duration = microseconds(50),
                           .sm_active = 0.5F,
                           .issue_slot = 0.25F,
                           .tensor_active = 0.125F,
                           .occupancy = 0.0625F,
                           .dram_bytes = 1e6F};
  // One at 25 to 75 us of each period; one at 175 to 225 us, half in the second window and half in the third.
  setup.processes = {periodic_kernel(kernel, microseconds(25)), periodic_kernel(kernel, microseconds(175))};
  Bench bench(free_device(4), setup);
  board::GpuWindows windows(bench.engine, bench.board, microseconds(100), 40e9);
  run_in_windows(bench, windows, milliseconds(20));

  const board::GpuWindowShares& all = windows.of_board();
  EXPECT_EQ(all[0].count(), 200U);
  // Of four windows one has 50 us of the kernel, two have 25, one has none.
  EXPECT_EQ(all[0].at_or_below(0), 0.25);
  EXPECT_EQ(all[0].at_or_below(124), 0.25);
  EXPECT_EQ(all[0].at_or_below(125), 0.75);
  EXPECT_EQ(all[0].at_or_below(249), 0.75);
  EXPECT_EQ(all[0].at_or_below(250), 1.0);
  EXPECT_NEAR(all[0].maximum().value(), 0.25, 1e-12);
  EXPECT_EQ(all[0].quantile(0.5), 0.125);
  for (std::size_t i = 1; i < 4; ++i) {  // the others in proportion: half, a quarter, an eighth
    EXPECT_NEAR(all[i].mean().value(), all[0].mean().value() / static_cast<double>(1U << i), 1e-12);
  }
  EXPECT_NEAR(all[4].maximum().value(), 1e6 / (40e9 * 100e-6), 1e-9);

  const board::GpuWindowShares& first = windows.of_process(0);
  EXPECT_EQ(first[0].at_or_below(0), 0.75);
  EXPECT_EQ(first[0].at_or_below(249), 0.75);
  EXPECT_EQ(first[0].at_or_below(250), 1.0);
  EXPECT_EQ(windows.of_process(1)[0].at_or_below(124), 0.5);
  EXPECT_EQ(windows.of_process(1)[0].at_or_below(125), 1.0);
}

TEST(GpuWindows, have_the_mean_of_the_whole_time_whatever_their_length) {
  board::Setup setup;
  std::vector<gpu::Kernel> kernels(30,
                                   {.duration = microseconds(17), .compute_share = 1, .sm_active = 0.75F});
  for (std::size_t i = 0; i < kernels.size(); i += 3) kernels[i].sm_active = 0.25F;
  setup.processes.assign(3, process_with(process::Runtime::eager, process::Sync::spin, sequence(kernels)));
  board::DeviceSpec device = free_device(2);
  device.gpu.time_slicing.slice = microseconds(700);
  device.gpu.time_slicing.switch_at_expiry = microseconds(90);
  device.gpu.time_slicing.restart_after_expiry = microseconds(40);
  for (const Duration interval : {microseconds(10), microseconds(100), milliseconds(5)}) {
    Bench bench(device, setup);
    bench.run_for(milliseconds(10));
    bench.board.end_warmup();
    board::GpuWindows windows(bench.engine, bench.board, interval, 0);
    run_in_windows(bench, windows, milliseconds(100));
    EXPECT_EQ(bench.engine.now(), Time::zero() + milliseconds(110));
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const double mean = bench.board.processes()[i].running().used.sm_active / 0.1;
      EXPECT_NEAR(windows.of_process(i)[0].mean().value(), mean, 1e-9);
      sum += mean;
    }
    EXPECT_NEAR(windows.of_board()[0].mean().value(), sum, 1e-9);
    EXPECT_NEAR(bench.board.totals().gpu_used.sm_active / 0.1, sum, 1e-9);
    EXPECT_LE(sum, sim::to_seconds(bench.board.totals().gpu_busy) / 0.1);
  }
}

TEST(GpuWindows, forget_the_warm_up) {
  board::Setup setup;
  setup.processes = {process_with(process::Runtime::cuda_graph, process::Sync::spin,
                                  sequence({{.duration = microseconds(100), .sm_active = 1}}))};
  Bench bench(free_device(1), setup);
  board::GpuWindows windows(bench.engine, bench.board, microseconds(300), 0);
  run_in_windows(bench, windows, milliseconds(1));
  EXPECT_EQ(windows.of_board()[0].count(), 3U);
  bench.board.end_warmup();
  windows.restart();
  EXPECT_EQ(windows.of_board()[0].count(), 0U);
  EXPECT_EQ(windows.end(), bench.engine.now() + microseconds(300));
  run_in_windows(bench, windows, milliseconds(3));
  EXPECT_NEAR(windows.of_board()[0].mean().value(), 1, 1e-9);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::test
