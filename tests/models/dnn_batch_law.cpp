// Laws of kernels at another batch, on invented tables.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "models/dnn/batch_law.hpp"
#include "models/dnn/interpolate.hpp"
#include "models/dnn/kernel_class.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

gpu::Spec ten_sms() {
  gpu::Spec gpu;
  gpu.sm_count = 10;
  gpu.max_threads_per_sm = 2048;
  gpu.max_blocks_per_sm = 32;
  return gpu;
}

// Blocks of 128 threads: 160 fill a wave.
MeasuredBatch table(std::int64_t batch, double us, std::uint32_t blocks, const char* name) {
  gpu::Kernel kernel;
  kernel.duration = sim::microseconds(us);
  kernel.blocks = blocks;
  kernel.threads_per_block = 128;
  split_shares(kernel, classify_kernel(name));
  return {.batch = batch, .kernels = {kernel}, .names = {name}, .nodes_to_last_memset = 0};
}

double us_at(const MeasuredBatch& measured, std::int64_t batch, const BatchLaw::Products& products = {}) {
  const gpu::Spec gpu = ten_sms();
  return sim::to_us(BatchLaw(gpu, products).at_batch(measured, batch).at(0).duration);
}

TEST(BatchLaw, lets_the_grid_of_a_persistent_kernel_grow_until_it_fills_the_gpu) {
  const gpu::Spec gpu = ten_sms();
  MeasuredBatch measured = table(4, 10, 60, "nvjet_sm90");
  EXPECT_EQ(BatchLaw(gpu).at_batch(measured, 16).at(0).blocks, 240U);
  measured.kernels[0].persistent = true;
  EXPECT_EQ(BatchLaw(gpu).at_batch(measured, 8).at(0).blocks, 120U);
  EXPECT_EQ(BatchLaw(gpu).at_batch(measured, 16).at(0).blocks, 160U);
}

TEST(BatchLaw, leaves_the_table_as_it_is_at_its_own_batch) {
  EXPECT_DOUBLE_EQ(us_at(table(4, 10, 400, "elementwise"), 4), 10);
}

TEST(BatchLaw, leaves_a_kernel_of_one_block_as_it_is) {
  const gpu::Spec gpu = ten_sms();
  const auto found = BatchLaw(gpu).at_batch(table(4, 3, 1, "batch_norm_calc_invstd"), 64);
  EXPECT_EQ(found[0].duration, sim::microseconds(3));
  EXPECT_EQ(found[0].blocks, 1U);
}

TEST(BatchLaw, lets_a_kernel_that_moves_bytes_grow_little_until_the_gpu_is_full) {
  EXPECT_LT(us_at(table(1, 5, 4, "elementwise"), 2), 5 * 1.2);                 // a few blocks on ten SMs
  EXPECT_NEAR(us_at(table(1, 101.06, 100'000, "elementwise"), 4), 401.06, 2);  // many waves
  EXPECT_LT(us_at(table(4, 5, 400, "elementwise"), 1), 5);
}

TEST(BatchLaw, grows_the_grid_with_the_images) {
  const gpu::Spec gpu = ten_sms();
  EXPECT_EQ(BatchLaw(gpu).at_batch(table(4, 5, 400, "elementwise"), 16)[0].blocks, 1600U);
}

TEST(BatchLaw, takes_the_ratio_of_its_layer_for_a_product) {
  const auto computed = [](std::int64_t batch) {
    return std::vector<sim::Duration>{sim::microseconds(batch == 4 ? 8 : 12)};
  };
  EXPECT_NEAR(us_at(table(4, 10, 132, "gemm"), 16, computed), 15, 1e-9);
}

TEST(BatchLaw, takes_the_ratio_of_all_products_where_kernels_are_not_layers) {
  const auto computed = [](std::int64_t batch) {
    return std::vector<sim::Duration>{sim::microseconds(batch == 4 ? 8 : 12),
                                      sim::microseconds(batch == 4 ? 2 : 18)};
  };
  EXPECT_NEAR(us_at(table(4, 10, 132, "gemm"), 16, computed), 30, 1e-9);
}

TEST(BatchLaw, keeps_the_start_of_a_product_without_layers) {
  EXPECT_NEAR(us_at(table(4, 14.4, 132, "gemm"), 8), 24.4, 1e-9);
  EXPECT_NEAR(us_at(table(4, 3, 132, "gemm"), 8), 3, 1e-9);
}

RC_GTEST_PROP(BatchLaw, a_larger_batch_never_takes_less_time, ()) {
  const MeasuredBatch measured =
      table(*rc::gen::inRange(1, 65), *rc::gen::inRange(10, 10'000) / 10.0,
            *rc::gen::inRange<std::uint32_t>(1, 100'000), *rc::gen::element("gemm", "elementwise"));
  double before = 0;
  for (std::int64_t batch = 1; batch <= 256; batch *= 2) {
    const double us = us_at(measured, batch);
    RC_ASSERT(us >= before);
    before = us;
  }
}

MeasuredNetwork network(std::vector<MeasuredBatch> batches, std::vector<SoloBatch> graph) {
  return {.model = "resnet50",
          .precision = Precision::fp16,
          .input = 224,
          .batches = std::move(batches),
          .solo_graph = std::move(graph),
          .solo_eager = {}};
}

// Half a microsecond is more than the gap between two kernels ever is.
TEST(Interpolation, stretches_the_kernels_of_a_graph_that_runs_others_than_were_traced) {
  const gpu::Spec gpu = ten_sms();
  const MeasuredNetwork measured = network({table(4, 10, 132, "gemm")}, {{4, sim::microseconds(20)}});
  const gpu::KernelSequence graph = sequence_at(measured, 4, BatchLaw(gpu));
  EXPECT_NEAR(sim::to_us(graph.total()), 19.5, 1e-6);
  EXPECT_NEAR(sim::to_us(graph.lone_gap), 0.5, 1e-6);
  EXPECT_EQ(graph.grade, gpu::Grade::interpolated);
  const gpu::KernelSequence one_by_one = sequence_at(measured, 4, BatchLaw(gpu), false);
  EXPECT_NEAR(sim::to_us(one_by_one.total()), 10, 1e-6);
  EXPECT_EQ(one_by_one.grade, gpu::Grade::measured);
}

TEST(Interpolation, a_network_of_which_only_rates_are_known_keeps_the_computed_shape) {
  const MeasuredNetwork measured = network({}, {{4, sim::microseconds(80)}, {16, sim::microseconds(200)}});
  const auto computed = [](std::int64_t batch) { return 10e6 * static_cast<double>(batch); };
  EXPECT_NEAR(sim::to_us(rated_total(measured, 4, computed)), 80, 1e-6);
  EXPECT_NEAR(sim::to_us(rated_total(measured, 10, computed)), 140, 1e-6);
  const double beyond = sim::to_us(rated_total(measured, 64, computed));
  EXPECT_GT(beyond, 200);
  EXPECT_LT(beyond, 4 * 200);  // rates grow more slowly than what is computed, and half of that goes on
}

TEST(Interpolation, counts_the_octaves_beyond_the_known_batches) {
  const MeasuredNetwork measured = network({table(4, 10, 132, "gemm")}, {{16, sim::microseconds(20)}});
  EXPECT_DOUBLE_EQ(octaves_beyond(measured, 1), 2);
  EXPECT_DOUBLE_EQ(octaves_beyond(measured, 8), 0);
  EXPECT_DOUBLE_EQ(octaves_beyond(measured, 32), 1);
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
