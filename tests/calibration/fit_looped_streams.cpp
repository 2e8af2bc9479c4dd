// Streams as closed loops, by hand.
#include <gtest/gtest.h>

#include <vector>

#include "calibration/fit/space_sharing.hpp"

namespace jostle::calibration {
namespace JOSTLE_FILE {

using gpu::KernelSequence;
using gpu::Spec;
using sim::microseconds;

// 4 SMs of 2048 threads; nothing but the order of kernels costs time.
Spec four_sms() {
  Spec gpu;
  gpu.sm_count = 4;
  gpu.max_threads_per_sm = 2048;
  gpu.max_blocks_per_sm = 32;
  return gpu;
}
KernelSequence three(std::uint32_t blocks) {
  KernelSequence sequence;
  for (const double us : {5.0, 10.0, 15.0})
    sequence.kernels.push_back({.duration = microseconds(us), .blocks = blocks, .threads_per_block = 1024});
  sequence.lone_gap = microseconds(3);
  sequence.rebuild_finish();
  return sequence;
}

TEST(LoopedStreams, one_takes_its_kernels_and_its_gaps) {
  const Spec gpu = four_sms();
  const std::vector<LoopedStream> one{looped(gpu, three(4))};
  EXPECT_NEAR(loops_per_s(gpu, one, 2, 5).at(0), 1e6 / 33, 1e-6);
}

TEST(LoopedStreams, that_fit_beside_each_other_are_as_fast_as_one) {
  const Spec gpu = four_sms();
  const std::vector<LoopedStream> two(2, looped(gpu, three(4)));  // half of each SM
  for (const double rate : loops_per_s(gpu, two, 2, 5)) EXPECT_NEAR(rate, 1e6 / 33, 1e-6);
}

TEST(LoopedStreams, that_fill_the_gpu_take_turns_kernel_by_kernel) {
  const Spec gpu = four_sms();
  const std::vector<LoopedStream> two(2, looped(gpu, three(8)));
  for (const double rate : loops_per_s(gpu, two, 3, 20)) EXPECT_NEAR(rate, 1e6 / 60, 1e6 / 60 * 0.02);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::calibration
