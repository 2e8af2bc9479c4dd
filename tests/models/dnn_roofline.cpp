// Kernel times from layers and roofs: laws that hold whatever the constants, and boards that run resnet50.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "models/dnn/builders/described.hpp"
#include "models/dnn/kernels_for.hpp"
#include "models/dnn/roofline.hpp"
#include "models/gpu/clocks.hpp"
#include "tests/models/dnn_support.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

// Figures of the boards from NVIDIA's data sheets and the CUDA guide's table per compute capability.
gpu::Spec orin_nano() {
  gpu::Spec gpu = orin();
  gpu.max_clock_hz = 624.75e6;
  gpu.bandwidth_bytes_per_s = 68.3e9;
  gpu.kernel_fixed = sim::microseconds(4.5);
  return gpu;
}
gpu::Spec nano() {
  gpu::Spec gpu;
  gpu.architecture = "sm_53";
  gpu.sm_count = 1;
  gpu.max_clock_hz = 921.6e6;
  gpu.max_threads_per_sm = 2048;
  gpu.max_blocks_per_sm = 32;
  gpu.shared_bytes_per_sm = 64 * 1024;
  gpu.cuda_cores = {.fp32 = 256, .tf32 = 0, .fp16 = 512, .int8 = 0};
  gpu.l2_bytes = 256e3;
  gpu.bandwidth_bytes_per_s = 25.6e9;
  gpu.kernel_fixed = sim::microseconds(4.5);
  return gpu;
}
gpu::Spec tx2() {
  gpu::Spec gpu;
  gpu.architecture = "sm_62";
  gpu.sm_count = 2;
  gpu.max_clock_hz = 1300.5e6;
  gpu.max_threads_per_sm = 2048;
  gpu.max_blocks_per_sm = 32;
  gpu.shared_bytes_per_sm = 64 * 1024;
  gpu.cuda_cores = {.fp32 = 256, .tf32 = 0, .fp16 = 512, .int8 = 0};
  gpu.l2_bytes = 512e3;
  gpu.bandwidth_bytes_per_s = 59.7e9;
  gpu.kernel_fixed = sim::microseconds(4.5);
  return gpu;
}

gpu::KernelSequence run(const std::string& model, const gpu::Spec& gpu, Precision precision,
                        std::int64_t batch = 1, Lowering lowering = Lowering::optimised) {
  return kernels_for({.model = model, .precision = precision, .batch = batch, .lowering = lowering}, {}, gpu);
}

double ms(const gpu::KernelSequence& sequence) {
  return sim::to_ms(sequence.total());
}

TEST(Roofline, resnet50_has_as_many_kernels_as_tensorrt_launches) {
  const auto kernels = run("resnet50", orin_nano(), Precision::fp16).kernels.size();
  EXPECT_GE(kernels, 57U);  // 57-62 in engine listings
  EXPECT_LE(kernels, 62U);
}

// Sanity, not accuracy: published fp16 latencies are 4.8, 29.3 and 11.0 ms (netspresso-trainer's device
// matrix).
TEST(Roofline, resnet50_takes_a_sane_time_on_the_boards) {
  EXPECT_GT(ms(run("resnet50", orin_nano(), Precision::fp16)), 2.0);
  EXPECT_LT(ms(run("resnet50", orin_nano(), Precision::fp16)), 6.0);
  EXPECT_GT(ms(run("resnet50", nano(), Precision::fp16)), 20);
  EXPECT_LT(ms(run("resnet50", nano(), Precision::fp16)), 40);
  EXPECT_GT(ms(run("resnet50", tx2(), Precision::fp16)), 7);
  EXPECT_LT(ms(run("resnet50", tx2(), Precision::fp16)), 16);
}

TEST(Roofline, operator_by_operator_is_slower_than_fused) {
  EXPECT_GT(ms(run("resnet50", orin_nano(), Precision::fp16, 1, Lowering::framework)),
            ms(run("resnet50", orin_nano(), Precision::fp16)));
}

TEST(Roofline, a_precision_without_units_runs_as_fp32) {
  EXPECT_EQ(path_for(nano(), Precision::int8).precision, Precision::fp32);
  EXPECT_EQ(run("resnet50", nano(), Precision::tf32).total(),
            run("resnet50", nano(), Precision::fp32).total());
  EXPECT_NE(run("resnet50", nano(), Precision::int8).provenance.find("run as fp32"), std::string::npos);
  EXPECT_TRUE(path_for(orin_nano(), Precision::fp16).tensor_cores);
  EXPECT_FALSE(path_for(nano(), Precision::fp16).tensor_cores);
}

TEST(Roofline, short_floats_are_multiplied_where_tensor_cores_have_them_and_in_fp16_elsewhere) {
  gpu::Spec gpu = orin_nano();
  EXPECT_EQ(path_for(gpu, Precision::fp8).precision, Precision::fp16);
  EXPECT_EQ(run("vit_small", gpu, Precision::fp8).total(), run("vit_small", gpu, Precision::fp16).total());
  gpu.tensor_cores.fp8 = gpu.tensor_cores.int8;
  gpu.tensor_cores.nvfp4 = 2 * gpu.tensor_cores.int8;
  EXPECT_TRUE(path_for(gpu, Precision::nvfp4).tensor_cores);
  const auto took = [&](const char* model, Precision precision) { return ms(run(model, gpu, precision, 8)); };
  EXPECT_LT(took("vit_base", Precision::fp8), 0.8 * took("vit_base", Precision::fp16));
  EXPECT_LT(took("vit_base", Precision::nvfp4), 0.8 * took("vit_base", Precision::fp8));
  // Convolutions are in fp8, in groups and in nvfp4 they are not.
  EXPECT_LT(took("resnet50", Precision::fp8), 0.8 * took("resnet50", Precision::fp16));
  EXPECT_NEAR(took("resnet50", Precision::nvfp4), took("resnet50", Precision::fp16),
              0.02 * took("resnet50", Precision::fp16));
  EXPECT_GT(took("resnext50_32x4d", Precision::fp8), took("resnext50_32x4d", Precision::int8));
}

TEST(Roofline, tensor_cores_reach_a_share_of_their_peak_that_depends_on_the_precision) {
  gpu::Spec gpu = orin_nano();
  const double fp16 = ms(run("vgg16", gpu, Precision::fp16, 16)),
               int8 = ms(run("vgg16", gpu, Precision::int8, 16));
  gpu.kernels.tensor_efficiency_of.int8 = gpu.kernels.tensor_efficiency / 2;
  EXPECT_EQ(ms(run("vgg16", gpu, Precision::fp16, 16)), fp16);
  EXPECT_GT(ms(run("vgg16", gpu, Precision::int8, 16)), 1.5 * int8);
}

TEST(Roofline, a_kernel_is_never_shorter_than_its_fixed_cost_and_its_shares_sum_to_one) {
  for (const gpu::Kernel& kernel : run("mobilenet_v2", orin_nano(), Precision::int8).kernels) {
    EXPECT_GE(kernel.duration, orin_nano().kernel_fixed);
    EXPECT_NEAR(kernel.compute_share + kernel.memory_share + kernel.fixed_share, 1, 1e-6);
    EXPECT_GE(kernel.fixed_share, 0);
    EXPECT_LE(kernel.shared_bytes, 164U * 1024U);
  }
}

TEST(Roofline, the_total_is_bound_by_peak_arithmetic_and_by_weights_through_memory) {
  const gpu::Spec gpu = orin_nano();
  const Network network = described_network("resnet50", 224);
  const double seconds = sim::to_seconds(run("resnet50", gpu, Precision::fp16, 8).total());
  const double peak = gpu.tensor_cores.fp16 * gpu.sm_count * gpu.max_clock_hz;
  EXPECT_GT(seconds, 8 * 2.0 * static_cast<double>(network.macs()) / peak);
  EXPECT_GT(seconds, 2.0 * static_cast<double>(network.parameters()) / gpu.bandwidth_bytes_per_s);
}

// The more of a layer's input and output fits L2, the less of it gets to DRAM; weights always do. Orin Nano
// Super, TensorRT: EMC utilisation over throughput (zainmk/jetson-nano-benchmarks-lab).
TEST(Roofline, a_network_moves_the_bytes_that_the_memory_clock_counts) {
  gpu::Spec gpu = orin_nano();
  gpu.l2_bytes = 2 * 1024 * 1024;
  const auto megabytes = [&](const char* model, Precision precision) {
    return run(model, gpu, precision).used.back().dram_bytes / 1e6;
  };
  EXPECT_NEAR(megabytes("resnet50", Precision::tf32), 189.6, 0.1 * 189.6);
  EXPECT_NEAR(megabytes("resnet50", Precision::fp16), 79.7, 0.1 * 79.7);
  EXPECT_NEAR(megabytes("resnet50", Precision::int8), 34.0, 0.1 * 34.0);
  EXPECT_NEAR(megabytes("resnet18", Precision::tf32), 62.5, 0.1 * 62.5);
  EXPECT_NEAR(megabytes("resnet18", Precision::fp16), 28.8, 0.1 * 28.8);
  EXPECT_NEAR(megabytes("resnet18", Precision::int8), 13.9, 0.1 * 13.9);
}

TEST(Roofline, a_larger_l2_moves_fewer_bytes_and_never_fewer_than_the_weights) {
  double before = std::numeric_limits<double>::infinity();
  const double weights = 2.0 * static_cast<double>(described_network("resnet50", 224).parameters());
  for (const double l2 : {0.0, 0.25e6, 1e6, 4e6, 64e6, 1e12}) {
    gpu::Spec gpu = orin_nano();
    gpu.l2_bytes = l2;
    const double bytes = run("resnet50", gpu, Precision::fp16).used.back().dram_bytes;
    EXPECT_LE(bytes, before) << l2;
    EXPECT_GE(bytes, 0.99 * weights) << l2;  // normalisations are folded
    before = bytes;
  }
}

TEST(Roofline, sms_work_while_they_are_active_and_not_while_blocks_start) {
  for (const gpu::Kernel& kernel : run("mobilenet_v2", orin_nano(), Precision::fp16).kernels) {
    EXPECT_GE(kernel.working, 0);
    EXPECT_LE(kernel.working, kernel.sm_active);
  }
  gpu::Spec gpu = orin_nano();
  gpu.kernels.start_cycles = 0;
  const double all = run("resnet50", gpu, Precision::fp16).used.back().working;
  gpu.kernels.start_cycles = 5000;
  EXPECT_NEAR(run("resnet50", gpu, Precision::fp16).used.back().working, all, 0.01 * all);
}

RC_GTEST_PROP(Roofline, work_takes_the_same_cycles_at_all_clocks, ()) {
  const double clock = *rc::gen::inRange(10, 101) / 100.0, memory = *rc::gen::inRange(5, 101) / 100.0;
  const gpu::KernelSequence given = run("resnet18", orin_nano(), Precision::fp16);
  gpu::KernelSequence there;
  at_clocks(given, {clock, memory}, there);
  for (std::size_t i = 0; i < given.kernels.size(); ++i) {
    const gpu::Kernel &before = given.kernels[i], &after = there.kernels[i];
    const double cycles = before.working * sim::to_seconds(before.duration);
    const double then = after.working * sim::to_seconds(after.duration) * clock;
    // Warps make progress at most while they are there.
    const bool always = after.working >= after.sm_active * (1 - 1e-6F);
    RC_ASSERT(std::abs(then - cycles) < 1e-3 * cycles + 1e-12 || (always && then < cycles));
  }
}

// Half of their cycles, where the memory gives half of the bytes that SMs could ask for; products go on.
TEST(Roofline, a_stream_keeps_sms_going_as_far_as_their_bytes_a_clock) {
  gpu::Spec gpu = orin_nano();
  const double bandwidth = gpu.bandwidth_bytes_per_s * gpu.bandwidth_efficiency;
  gpu.memory_bytes_per_clock = 1.000001 * bandwidth / gpu.max_clock_hz;
  gpu.l2_bytes = 1;  // all comes from DRAM
  const gpu::KernelSequence bound = run("resnet50", gpu, Precision::fp16, 16, Lowering::framework);
  gpu.memory_bytes_per_clock *= 2;
  const gpu::KernelSequence waiting = run("resnet50", gpu, Precision::fp16, 16, Lowering::framework);
  std::size_t streams = 0;
  for (std::size_t i = 0; i < bound.kernels.size(); ++i) {
    const gpu::Kernel &a = bound.kernels[i], &b = waiting.kernels[i];
    ASSERT_EQ(a.duration, b.duration);
    if (b.memory_share > 0 && b.hidden_share < 0.5001F * b.memory_share) {
      EXPECT_NEAR(b.working / a.working, 0.5, 1e-3);
      ++streams;
    } else {
      EXPECT_GE(b.working, 0.499F * a.working);
    }
    if (a.memory_share == 0) {
      EXPECT_EQ(a.working, b.working);
    }
  }
  EXPECT_GT(streams, 50U);
}

// alexnet's windows are 11 x 11 and 5 x 5, resnet18's but one 3 x 3 and 1 x 1; tensor cores have no such.
TEST(Roofline, wide_windows_take_longer_where_no_algorithm_was_tried) {
  gpu::Spec gpu = nano(), by_rule = nano();
  by_rule.kernels.heuristic_algorithm_efficiency = 0.5;
  const auto slower = [&](const char* model, Lowering lowering) {
    return ms(run(model, by_rule, Precision::fp32, 8, lowering)) /
           ms(run(model, gpu, Precision::fp32, 8, lowering));
  };
  EXPECT_GT(slower("alexnet", Lowering::framework), 1.2);
  EXPECT_LT(slower("resnet18", Lowering::framework), 1.1);
  EXPECT_EQ(slower("alexnet", Lowering::optimised), 1);
  gpu = by_rule = orin_nano();
  by_rule.kernels.heuristic_algorithm_efficiency = 0.5;
  EXPECT_EQ(ms(run("alexnet", by_rule, Precision::tf32, 8, Lowering::framework)),
            ms(run("alexnet", gpu, Precision::tf32, 8, Lowering::framework)));
}

TEST(Roofline, is_graded_datasheet) {
  EXPECT_EQ(run("resnet50", nano(), Precision::fp16).grade, gpu::Grade::datasheet);
}

TEST(Roofline, nonsense_is_refused) {
  EXPECT_THROW((void)run("resnet50", gpu::Spec{}, Precision::fp16), std::invalid_argument);
  for (const std::int64_t batch :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1'000'001}, std::int64_t{1} << 62}) {
    EXPECT_THROW((void)run("resnet50", nano(), Precision::fp16, batch), std::invalid_argument);
  }
  EXPECT_THROW((void)kernels_for({.model = "fcn_resnet50",
                                  .precision = Precision::fp32,
                                  .batch = 1'000'000,
                                  .lowering = Lowering::optimised,
                                  .input = 32'768},
                                 {}, nano()),
               std::invalid_argument);
}

TEST(KernelsFor, an_unknown_model_is_refused_by_name) {
  try {
    (void)run("resnet5O", nano(), Precision::fp16);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("unknown model 'resnet5O'"), std::string::npos) << error.what();
  }
}

struct Case {
  std::string model = *rc::gen::element<std::string>("resnet50", "mobilenet_v2", "fcn_resnet50");
  Precision precision = *rc::gen::elementOf(all_precisions);
  Lowering lowering = *rc::gen::element(Lowering::framework, Lowering::optimised);
  std::int64_t batch = *rc::gen::inRange<std::int64_t>(1, 40);
  gpu::Spec gpu = *rc::gen::elementOf(std::vector<gpu::Spec>{orin_nano(), nano(), tx2()});
  [[nodiscard]] sim::Duration total() const { return run(model, gpu, precision, batch, lowering).total(); }
};

RC_GTEST_PROP(Roofline, a_larger_batch_never_takes_less_time, ()) {
  const Case small;
  Case large = small;
  large.batch += *rc::gen::inRange<std::int64_t>(1, 20);
  RC_ASSERT(large.total() >= small.total());
}

RC_GTEST_PROP(Roofline, a_faster_clock_or_memory_never_takes_more_time, ()) {
  const Case slow;
  Case fast = slow;
  const double factor = 1 + *rc::gen::inRange(1, 300) / 100.0;
  if (*rc::gen::arbitrary<bool>()) {
    fast.gpu.max_clock_hz *= factor;
  } else {
    fast.gpu.bandwidth_bytes_per_s *= factor;
  }
  RC_ASSERT(fast.total() <= slow.total());
}

RC_GTEST_PROP(Roofline, more_sms_never_take_more_time, ()) {
  const Case few;
  Case many = few;
  many.gpu.sm_count *= *rc::gen::inRange(2, 5);
  RC_ASSERT(many.total() <= few.total());
}

RC_GTEST_PROP(Roofline, a_narrower_precision_with_units_never_takes_more_time, ()) {
  Case wide;
  wide.gpu = orin_nano();
  wide.precision = *rc::gen::elementOf(std::vector{Precision::fp32, Precision::tf32, Precision::fp16});
  Case narrow = wide;
  narrow.precision = wide.precision == Precision::fp32   ? Precision::tf32
                     : wide.precision == Precision::tf32 ? Precision::fp16
                                                         : Precision::int8;
  RC_ASSERT(narrow.total() <= wide.total());
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
