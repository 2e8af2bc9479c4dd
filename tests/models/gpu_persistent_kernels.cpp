// Persistent kernels: their grids follow the SMs that a client may use, their work stays.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "models/gpu/dispatcher.hpp"
#include "models/gpu/occupancy.hpp"

namespace jostle::gpu::space {
namespace JOSTLE_FILE {

Spec hundred_sms() {
  Spec gpu;
  gpu.sm_count = 100;
  gpu.max_threads_per_sm = 2048;
  gpu.max_blocks_per_sm = 32;
  gpu.registers_per_sm = 65'536;
  gpu.shared_bytes_per_sm = 228 * 1024;
  return gpu;
}

Kernel product(std::uint32_t blocks, bool persistent = true) {
  Kernel kernel{.duration = sim::microseconds(100), .blocks = blocks, .threads_per_block = 384};
  kernel.registers_per_thread = 168;
  kernel.persistent = persistent;
  return kernel;
}

double wave_us(const Kernel& kernel, int sms) {
  return sim::to_us(work_of(hundred_sms(), kernel, sms).wave);
}

TEST(PersistentKernels, run_in_one_wave_on_any_number_of_sms) {
  const Spec gpu = hundred_sms();
  EXPECT_EQ(waves(gpu, product(90), 50), 1);
  EXPECT_EQ(waves(gpu, product(90, false), 50), 2);
  EXPECT_EQ(grid_on(gpu, product(90), 50), 50U);
  EXPECT_EQ(grid_on(gpu, product(90), 95), 90U);
  EXPECT_EQ(grid_on(gpu, product(90, false), 50), 90U);
}

TEST(PersistentKernels, that_fill_the_gpu_take_longer_as_they_get_fewer_sms) {
  EXPECT_NEAR(wave_us(product(100), 100), 100, 1e-3);
  EXPECT_NEAR(wave_us(product(100), 80), 125, 1e-3);
  EXPECT_NEAR(wave_us(product(100), 10), 1000, 1e-3);
  // Otherwise the last of two waves is as long as the first.
  EXPECT_NEAR(wave_us(product(100, false), 80), 100, 1e-3);
  EXPECT_EQ(work_of(hundred_sms(), product(100, false), 80).waves, 2U);
}

TEST(PersistentKernels, that_do_not_fill_it_have_a_tile_a_block_which_stays_whole) {
  EXPECT_NEAR(wave_us(product(90), 95), 100, 1e-3);
  EXPECT_NEAR(wave_us(product(90), 60), 200, 1e-3);
  EXPECT_NEAR(wave_us(product(90), 40), 300, 1e-3);
}

TEST(PersistentKernels, have_as_many_blocks_as_were_measured_on_the_whole_gpu) {
  const Work work = work_of(hundred_sms(), product(90), 100);
  EXPECT_EQ(work.blocks, 90U);
  EXPECT_EQ(work.waves, 1U);
}

TEST(PersistentKernels, have_blocks_that_end_a_tile_earlier_if_tiles_are_no_multiple_of_blocks) {
  Kernel kernel = product(100);
  kernel.tiles = 260;
  const Work work = work_of(hundred_sms(), kernel, 100);
  EXPECT_EQ(work.blocks, 100U);
  EXPECT_EQ(work.early, 40U);  // three rounds of 100 less 260
  EXPECT_NEAR(sim::to_us(work.tile), 100.0 / 3, 1e-3);
  kernel.tiles = 300;
  EXPECT_EQ(work_of(hundred_sms(), kernel, 100).early, 0U);
  kernel.tiles = 80;  // fewer than blocks: nothing is known of parts
  EXPECT_EQ(work_of(hundred_sms(), kernel, 100).early, 0U);
}

TEST(PersistentKernels, leave_sms_idle_in_their_last_round) {
  Kernel kernel = product(100);
  kernel.tiles = 260;
  fill_residency(hundred_sms(), kernel);
  EXPECT_FLOAT_EQ(kernel.sm_active, 260.0F / 300);
  EXPECT_FLOAT_EQ(kernel.last_wave, 1.0F / 3);
}

// The kernel of another stream waits until blocks have ended, and has their SMs for a tile.
TEST(PersistentKernels, let_others_in_during_their_last_round) {
  Dispatcher dispatcher(hundred_sms());
  const int large = dispatcher.add_stream({.connection = 0, .sms = 100});
  const int small = dispatcher.add_stream({.connection = 1, .sms = 100});
  Kernel kernel = product(100);
  kernel.tiles = 260;
  dispatcher.ready(large, work_of(hundred_sms(), kernel, 100));
  dispatcher.dispatch();
  const Kernel ten = product(10);
  dispatcher.ready(small, work_of(hundred_sms(), ten, 100));
  dispatcher.dispatch();
  EXPECT_FALSE(dispatcher.started(small));
  EXPECT_NEAR(sim::to_us(dispatcher.next() - sim::Time{}), 200.0 / 3, 1e-3);
  dispatcher.run_until(dispatcher.next());
  std::vector<int> done;
  dispatcher.end(done);
  dispatcher.dispatch();
  EXPECT_TRUE(done.empty());
  EXPECT_TRUE(dispatcher.started(small));
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::gpu::space
