// Laws of interpolation between measured batches, on invented tables.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "models/dnn/interpolate.hpp"
#include "models/dnn/kernel_class.hpp"
#include "models/dnn/kernels_for.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

MeasuredBatch table(std::int64_t batch, const std::vector<double>& durations_us, const char* name = "gemm") {
  MeasuredBatch measured{.batch = batch, .kernels = {}, .names = {}, .nodes_to_last_memset = 0};
  for (const double us : durations_us) {
    gpu::Kernel kernel;
    kernel.duration = sim::microseconds(us);
    kernel.blocks = static_cast<std::uint32_t>(10 * batch);
    split_shares(kernel, classify_kernel(name));
    measured.kernels.push_back(kernel);
    measured.names.emplace_back(name);
  }
  return measured;
}

MeasuredNetwork network(std::vector<MeasuredBatch> batches) {
  return {.model = "resnet50",
          .precision = Precision::fp16,
          .input = 224,
          .batches = std::move(batches),
          .solo_graph = {},
          .solo_eager = {}};
}

gpu::KernelSequence at(const MeasuredNetwork& measured, std::int64_t batch) {
  gpu::Spec gpu;
  gpu.sm_count = 10;
  return sequence_at(measured, batch, BatchLaw(gpu));
}

double us(const gpu::KernelSequence& sequence) {
  return sim::to_us(sequence.total());
}

TEST(Interpolation, is_the_table_itself_where_there_is_one) {
  const gpu::KernelSequence found = at(network({table(1, {10, 20}), table(4, {20, 50})}), 4);
  EXPECT_EQ(found.grade, gpu::Grade::measured);
  EXPECT_EQ(found.kernels[1].duration, sim::microseconds(50));
}

TEST(Interpolation, between_two_tables_goes_kernel_by_kernel_along_the_line) {
  const gpu::KernelSequence found = at(network({table(1, {10, 20}), table(5, {30, 40})}), 2);
  EXPECT_EQ(found.grade, gpu::Grade::interpolated);
  EXPECT_NEAR(sim::to_us(found.kernels[0].duration), 15, 1e-6);
  EXPECT_NEAR(sim::to_us(found.kernels[1].duration), 25, 1e-6);
  EXPECT_EQ(found.kernels[0].blocks, 20U);
}

TEST(Interpolation, tables_of_different_kernels_stretch_the_nearer) {
  const MeasuredNetwork measured = network({table(1, {10, 20}), table(16, {50, 60, 70})});
  EXPECT_EQ(at(measured, 3).kernels.size(), 2U);
  EXPECT_EQ(at(measured, 4).kernels.size(), 2U);  // as far from one as from the other: the smaller
  EXPECT_EQ(at(measured, 5).kernels.size(), 3U);
  EXPECT_NEAR(us(at(measured, 6)), 30 + 150.0 * 5 / 15, 1e-6);
}

TEST(Interpolation, a_solo_time_less_the_gap_bends_the_line) {
  MeasuredNetwork measured = network({table(1, {100}), table(5, {500})});
  measured.solo_graph = {
      {1, sim::microseconds(100.1)}, {3, sim::microseconds(250.2)}, {5, sim::microseconds(500.3)}};
  EXPECT_NEAR(us(at(measured, 3)), 250, 1e-6);  // the gap is half way between 0.1 and 0.3
  EXPECT_NEAR(sim::to_us(at(measured, 3).lone_gap), 0.2, 1e-6);
  EXPECT_NEAR(us(at(measured, 2)), 175, 1e-6);  // between 100 and 250
  EXPECT_NEAR(us(at(measured, 1)), 100, 1e-6);  // tables are not bent
}

TEST(Interpolation, a_solo_time_below_the_kernels_is_no_gap) {
  MeasuredNetwork measured = network({table(1, {100})});
  measured.solo_graph = {{1, sim::microseconds(90)}};
  EXPECT_EQ(at(measured, 1).lone_gap, sim::Duration::zero());
}

// Kernels named gemm without layers: 4.4 us, and the rest in proportion to the batch.
TEST(Interpolation, beyond_the_tables_follows_the_law_from_the_last_on) {
  const MeasuredNetwork measured = network({table(4, {14.4}), table(8, {24.4})});
  EXPECT_NEAR(us(at(measured, 16)), 44.4, 1e-6);
  EXPECT_NEAR(us(at(measured, 2)), 9.4, 1e-6);
}

TEST(Interpolation, beyond_the_tables_half_of_the_trend_away_from_the_law_goes_on) {
  // From batch 8 the law gives 19.4 us at batch 4 and 64.4 us at batch 16.
  const MeasuredNetwork measured = network({table(4, {14.4}), table(8, {34.4})});
  const double power = (1 + std::log(34.4 / 14.4) / std::log(34.4 / 19.4)) / 2;
  EXPECT_NEAR(us(at(measured, 16)), 34.4 * std::pow(64.4 / 34.4, power), 1e-4);
}

TEST(Interpolation, beyond_the_tables_never_falls_with_the_batch) {
  EXPECT_GE(us(at(network({table(1, {20}), table(2, {19})}), 50)), 19);
}

TEST(Interpolation, from_a_single_table_follows_the_law) {
  const MeasuredNetwork measured = network({table(2, {14.4})});
  EXPECT_NEAR(us(at(measured, 4)), 24.4, 1e-5);
  EXPECT_NEAR(us(at(measured, 1)), 9.4, 1e-5);
}

TEST(Interpolation, memsets_follow_the_nearer_table) {
  MeasuredBatch large = table(16, {50, 60});
  large.nodes_to_last_memset = large.names.size();
  const MeasuredNetwork measured = network({table(1, {10, 20}), large});
  EXPECT_TRUE(at(measured, 3).launched_whole);
  EXPECT_FALSE(at(measured, 12).launched_whole);
}

TEST(KernelsFor, a_table_answers_only_for_its_precision_input_and_lowering) {
  KernelTables tables{.source = "bench", .networks = {network({table(1, {10, 20})})}};
  gpu::Spec gpu;
  gpu.sm_count = 1;
  gpu.max_clock_hz = 1e9;
  gpu.cuda_cores.fp32 = 256;
  gpu.bandwidth_bytes_per_s = 1e10;
  const Request request{.model = "resnet50",
                        .precision = Precision::fp16,
                        .batch = 1,
                        .lowering = Lowering::framework,
                        .input = 0};
  EXPECT_EQ(kernels_for(request, tables, gpu).grade, gpu::Grade::measured);
  Request other = request;
  other.precision = Precision::fp32;
  EXPECT_EQ(kernels_for(other, tables, gpu).grade, gpu::Grade::datasheet);
  other = request;
  other.input = 256;
  EXPECT_EQ(kernels_for(other, tables, gpu).grade, gpu::Grade::datasheet);
  other = request;
  other.lowering = Lowering::optimised;
  EXPECT_EQ(kernels_for(other, tables, gpu).grade, gpu::Grade::datasheet);
}

TEST(KernelClass, names_of_libraries_tell_what_bounds_a_kernel) {
  for (const char* name :
       {"nvjet_sm90_hsh_64x8_64x16_2x4_h_bz_TNT", "cutlass_80_tensorop_s1688gemm_64x64_32x6_nn",
        "sm80_xmma_fprop_igemm_f32f32", "implicit_convolve_sgemm<f32"}) {
    EXPECT_EQ(classify_kernel(name), KernelClass::compute) << name;
  }
  for (const char* name :
       {"at vectorized_elementwise<4> clamp", "cudnn bn_fw_inf_1C11_NCHW", "memset", "max_pool_forward_nhwc",
        "cudnn nchwToNhwcKernel", "conv_depthwise2d_forward_kernel", "cublasLt splitKreduce_kernel",
        "a name that says nothing"}) {
    EXPECT_EQ(classify_kernel(name), KernelClass::memory) << name;
  }
}

TEST(KernelClass, the_floor_is_fixed_and_the_rest_belongs_to_the_class) {
  gpu::Kernel kernel;
  kernel.duration = sim::microseconds(4.24);
  split_shares(kernel, KernelClass::memory);
  EXPECT_NEAR(kernel.fixed_share, 0.25, 1e-6);
  EXPECT_NEAR(kernel.memory_share, 0.75, 1e-6);
  kernel.duration = sim::microseconds(0.7);
  split_shares(kernel, KernelClass::compute);
  EXPECT_EQ(kernel.fixed_share, 1);
}

// Tables whose sums grow with the batch, as measured ones do.
MeasuredNetwork any_network() {
  std::vector<MeasuredBatch> batches;
  std::int64_t batch = *rc::gen::inRange<std::int64_t>(1, 4);
  double per_kernel = *rc::gen::inRange(2, 50);
  for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
    const auto kernels = *rc::gen::inRange<std::size_t>(3, 6);
    std::vector<double> durations(kernels, per_kernel * 20 / static_cast<double>(kernels));
    batches.push_back(table(batch, durations));
    batch *= *rc::gen::inRange<std::int64_t>(2, 5);
    per_kernel *= 1 + *rc::gen::inRange(0, 300) / 100.0;
  }
  return network(std::move(batches));
}

RC_GTEST_PROP(Interpolation, a_larger_batch_never_takes_less_time, ()) {
  const MeasuredNetwork measured = any_network();
  sim::Duration before;
  for (std::int64_t batch = 1; batch <= 300; batch += 1 + batch / 8) {
    const gpu::KernelSequence found = at(measured, batch);
    RC_ASSERT(found.total() >= before);
    RC_ASSERT(found.finish.size() == found.kernels.size());
    before = found.total();
  }
}

RC_GTEST_PROP(Interpolation, the_sum_lies_between_the_tables_around, ()) {
  const MeasuredNetwork measured = any_network();
  for (std::size_t i = 1; i < measured.batches.size(); ++i) {
    const MeasuredBatch& lower = measured.batches[i - 1];
    const MeasuredBatch& upper = measured.batches[i];
    const sim::Duration total = at(measured, (lower.batch + upper.batch) / 2).total();
    RC_ASSERT(total >= lower.total());
    RC_ASSERT(total <= upper.total());
  }
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
