// Activity of measured kernels, borrowed from the cost model.
#include <gtest/gtest.h>

#include "models/dnn/activity.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

gpu::Kernel kernel(double us, float compute_share) {
  gpu::Kernel made{.duration = sim::microseconds(us)};
  made.compute_share = compute_share;
  made.memory_share = 1 - compute_share;
  made.blocks = 8;
  return made;
}

TEST(SpreadActivity, keeps_totals_and_gives_tensor_clocks_to_arithmetic_alone) {
  gpu::Spec gpu;
  gpu.sm_count = 8;
  gpu.max_threads_per_sm = 1536;
  gpu.max_blocks_per_sm = 16;
  KernelsOfLayers modelled;
  gpu::KernelSequence measured;
  std::vector<gpu::Kernel>& kernels = modelled.sequence.kernels;
  kernels = {kernel(10, 1), kernel(10, 0)};
  modelled.product = {true, false};
  kernels[0].tensor_active = 0.4F;
  kernels[0].issue_slot = 0.2F;
  kernels[1].issue_slot = 0.4F;
  kernels[0].dram_bytes = 1000;
  kernels[1].dram_bytes = 3000;
  kernels[1].moved_bytes = 7000;
  measured.kernels = {kernel(20, 1), kernel(10, 0)};
  spread_activity(modelled, gpu, measured);
  EXPECT_NEAR(measured.kernels[0].tensor_active, 0.4 * 10 / 20, 1e-6);
  EXPECT_EQ(measured.kernels[1].tensor_active, 0);
  EXPECT_NEAR(measured.kernels[0].issue_slot, (0.2 + 0.4) * 10 / 30, 1e-6);
  EXPECT_NEAR(measured.kernels[0].dram_bytes, 1000, 1e-3);
  EXPECT_NEAR(measured.kernels[1].dram_bytes, 3000, 1e-3);
  EXPECT_NEAR(measured.kernels[1].moved_bytes, 7000, 1e-3);
  EXPECT_EQ(measured.kernels[0].sm_active, 1);  // eight blocks on eight SMs
}

TEST(SpreadActivity, keeps_the_bytes_of_layers_that_no_measured_kernel_is_like) {
  gpu::Spec gpu;
  gpu.sm_count = 8;
  KernelsOfLayers modelled;
  modelled.sequence.kernels = {kernel(10, 1), kernel(10, 0)};
  modelled.product = {true, false};
  modelled.sequence.kernels[0].dram_bytes = 1000;
  modelled.sequence.kernels[1].dram_bytes = 3000;
  gpu::KernelSequence measured;
  measured.kernels = {kernel(20, 1), kernel(10, 1)};
  spread_activity(modelled, gpu, measured);
  EXPECT_NEAR(measured.kernels[0].dram_bytes, 4000.0 * 2 / 3, 1e-2);
  EXPECT_NEAR(measured.kernels[1].dram_bytes, 4000.0 / 3, 1e-2);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
