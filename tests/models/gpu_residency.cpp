// What a grid of blocks occupies of the SMs, by hand.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "models/gpu/clocks.hpp"
#include "models/gpu/occupancy.hpp"
#include "tests/models/gpu_support.hpp"

namespace jostle::gpu::test {
namespace JOSTLE_FILE {

using sim::microseconds;

// 8 SMs of 48 warps and 16 blocks.
Spec eight_sms() {
  return free_device(1).gpu;
}
gpu::Kernel grid(std::uint32_t blocks, std::uint32_t threads, std::uint32_t registers = 32) {
  gpu::Kernel kernel{.duration = microseconds(10),
                     .blocks = blocks,
                     .threads_per_block = threads,
                     .registers_per_thread = registers};
  fill_residency(eight_sms(), kernel);
  return kernel;
}

TEST(GpuResidency, a_grid_smaller_than_the_gpu_leaves_sms_without_a_block) {
  const gpu::Kernel kernel = grid(2, 128);
  EXPECT_FLOAT_EQ(kernel.sm_active, 2.0F / 8);
  EXPECT_FLOAT_EQ(kernel.occupancy, 2.0F * 4 / (8 * 48));
}

// The bound is that of L2 and frame-buffer partitions, which power modes leave on.
TEST(GpuResidency, sms_without_power_leave_the_others_all_of_the_bandwidth) {
  Spec gpu = eight_sms();
  gpu.memory_bytes_per_clock = 94;
  gpu.max_clock_hz = 1e9;
  EXPECT_EQ(with_sms(gpu, 8).sm_count, 8);
  EXPECT_EQ(with_sms(gpu, 12).sm_count, 8);
  EXPECT_EQ(with_sms(gpu, 4).sm_count, 4);
  EXPECT_DOUBLE_EQ(reachable_bandwidth(gpu, 1e9, 200e9), 94e9);
  EXPECT_DOUBLE_EQ(reachable_bandwidth(with_sms(gpu, 4), 1e9, 200e9), 94e9);
  EXPECT_DOUBLE_EQ(working_while_streaming(with_sms(gpu, 4), 94e9, 1e9), 1);
  EXPECT_DOUBLE_EQ(working_while_streaming(with_sms(gpu, 4), 47e9, 1e9), 0.5);
}

TEST(GpuResidency, full_waves_fill_what_limits_allow) {
  // Twelve blocks of 128 threads fit by threads; all 8 · 12 of them are there.
  EXPECT_FLOAT_EQ(grid(96, 128).sm_active, 1);
  EXPECT_FLOAT_EQ(grid(96, 128).occupancy, 1);
  // Four by registers: 65536 / (128 · 128).
  EXPECT_FLOAT_EQ(grid(32, 128, 128).sm_active, 1);
  EXPECT_FLOAT_EQ(grid(32, 128, 128).occupancy, 4.0F * 4 / 48);
}

TEST(GpuResidency, a_tail_goes_round_the_sms) {
  // 96 at once: one wave, and a second with two blocks on two SMs.
  EXPECT_FLOAT_EQ(grid(98, 128).sm_active, (8.0F + 2) / (2 * 8));
  EXPECT_FLOAT_EQ(grid(98, 128).occupancy, 98.0F * 4 / (2 * 8 * 48));
  EXPECT_FLOAT_EQ(grid(106, 128).sm_active, 1);
}

TEST(GpuResidency, activity_is_that_of_all_sms_until_the_last_wave_and_of_its_blocks_then) {
  const gpu::Kernel kernel = grid(98, 128);  // a wave of 96 blocks, and one of two on two of eight SMs
  EXPECT_NEAR(usage_of(kernel, microseconds(5)).sm_active, 5e-6, 1e-12);
  EXPECT_NEAR(usage_of(kernel, microseconds(8)).sm_active, 5e-6 + 3e-6 * 2 / 8, 1e-12);
  EXPECT_NEAR(usage_of(kernel, microseconds(10)).sm_active, 10e-6 * 10 / 16, 1e-12);
}

TEST(GpuResidency, there_is_no_activity_before_blocks_are_resident) {
  gpu::Kernel kernel = grid(96, 128);
  kernel.fixed_share = 0.25F;
  kernel.sm_active = 0.75F;
  EXPECT_EQ(usage_of(kernel, microseconds(2)).sm_active, 0);
  EXPECT_NEAR(usage_of(kernel, microseconds(5)).sm_active, 2.5e-6, 1e-12);
  EXPECT_NEAR(usage_of(kernel, microseconds(10)).sm_active, 7.5e-6, 1e-12);
}

RC_GTEST_PROP(GpuResidency, a_part_of_a_kernel_has_at_most_the_activity_of_all_sms_and_no_less_than_none,
              ()) {
  gpu::Kernel kernel = grid(*rc::gen::inRange(1U, 2000U), 128, *rc::gen::inRange(1U, 200U));
  kernel.fixed_share = static_cast<float>(*rc::gen::inRange(0, 100)) / 100;
  kernel.sm_active *= 1 - kernel.fixed_share;
  const int from = *rc::gen::inRange(0, 10'001), to = *rc::gen::inRange(from, 10'001);
  const double part =
      usage_of(kernel, sim::nanoseconds(to)).sm_active - usage_of(kernel, sim::nanoseconds(from)).sm_active;
  RC_ASSERT(part >= -1e-12);
  RC_ASSERT(part <= (to - from) * 1.000001e-9 + 1e-12);
}

// Kernels of these functions, named by letters; the i-th moves i + 1 bytes.
std::vector<gpu::Kernel> functions_in_turn(std::string_view letters) {
  std::vector<gpu::Kernel> kernels(letters.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    kernels[i].dram_bytes = static_cast<float>(i + 1);
    kernels[i].code = gpu::code_of(letters.substr(i, 1), kernels[i]);
  }
  note_reuse(kernels);
  return kernels;
}

TEST(GpuResidency, code_comes_back_after_what_the_kernels_between_have_moved) {
  const auto kernels = functions_in_turn("abcdefghija");
  EXPECT_EQ(kernels[0].reuse_bytes, 0) << "the batch before ended with this function";
  EXPECT_EQ(kernels[1].reuse_bytes, 66 - 2) << "all others";
  EXPECT_EQ(kernels[10].reuse_bytes, 55 - 1);
}

TEST(GpuResidency, instruction_caches_hold_the_code_of_eight_other_functions) {
  for (const gpu::Kernel& kernel : functions_in_turn("abcdefghi")) EXPECT_EQ(kernel.reuse_bytes, 0);
  for (const gpu::Kernel& kernel : functions_in_turn("abcdefghij")) EXPECT_GT(kernel.reuse_bytes, 0);
  // Others that come again do not count twice.
  EXPECT_EQ(functions_in_turn("abcbcbcbcbcbcbcbc")[0].reuse_bytes, 0);
}

TEST(GpuResidency, code_is_fetched_behind_a_kernel_that_takes_longer) {
  auto kernels = functions_in_turn("abcdefghij");
  kernels[3].duration = sim::microseconds(3.1);
  note_reuse(kernels);
  for (std::size_t i = 0; i < kernels.size(); ++i) EXPECT_EQ(kernels[i].reuse_bytes > 0, i != 4) << i;
}

TEST(GpuResidency, warps_are_whole) {
  EXPECT_FLOAT_EQ(grid(8, 33).occupancy, 2.0F / 48);
}

RC_GTEST_PROP(GpuResidency, lies_between_nothing_and_all_and_a_block_more_never_needs_fewer_warps, ()) {
  Spec gpu = eight_sms();
  gpu.sm_count = *rc::gen::inRange(1, 150);
  gpu::Kernel kernel{.duration = microseconds(10),
                     .blocks = *rc::gen::inRange(1U, 100'000U),
                     .threads_per_block = *rc::gen::inRange(1U, 1025U),
                     .registers_per_thread = *rc::gen::inRange(0U, 256U),
                     .shared_bytes = *rc::gen::inRange(0U, 1U << 17U)};
  fill_residency(gpu, kernel);
  RC_ASSERT(kernel.sm_active > 0 && kernel.sm_active <= 1);
  RC_ASSERT(kernel.occupancy > 0 && kernel.occupancy <= kernel.sm_active * 1.000001F);
  gpu::Kernel larger = kernel;
  ++larger.blocks;
  fill_residency(gpu, larger);
  if (waves(gpu, larger) == waves(gpu, kernel)) {
    RC_ASSERT(larger.sm_active >= kernel.sm_active);
    RC_ASSERT(larger.occupancy >= kernel.occupancy);
  }
}

TEST(GpuResidency, pipes_are_busy_at_most_while_an_sm_has_a_warp_at_any_clock) {
  const gpu::Kernel kernel{.duration = microseconds(10),
                           .compute_share = 0.1F,
                           .memory_share = 0.9F,
                           .fixed_share = 0,
                           .sm_active = 0.5F,
                           .issue_slot = 0.3F,
                           .tensor_active = 0.2F};
  const gpu::Kernel slow = gpu::at_clocks(kernel, {0.5, 1});
  EXPECT_FLOAT_EQ(slow.sm_active, 0.5F);
  EXPECT_FLOAT_EQ(slow.issue_slot, 0.5F);                     // 0.3 / (1.1 · 0.5) would be more
  EXPECT_FLOAT_EQ(slow.tensor_active, 0.2F / (1.1F * 0.5F));  // the same cycles, of half as many a second
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::test
