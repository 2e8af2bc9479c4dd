// From layers to kernels: what fuses, what is cut into tiles, which precision each layer gets.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "models/dnn/arithmetic.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/graph/network.hpp"
#include "models/dnn/host_layers.hpp"
#include "models/dnn/kernels_for.hpp"
#include "models/dnn/model_names.hpp"
#include "models/dnn/roofline.hpp"
#include "models/dnn/tiling.hpp"
#include "models/gpu/clocks.hpp"
#include "tests/models/dnn_support.hpp"

namespace jostle::dnn {
namespace JOSTLE_FILE {

gpu::Spec without_tensor_cores() {
  gpu::Spec gpu = orin();
  gpu.tensor_cores = {};
  return gpu;
}

std::vector<FusedLayer> pieces(const char* model) {
  const Model* const found = find_model(model);
  return fuse(found->build(found->default_input), Lowering::optimised);
}

std::ptrdiff_t count(const std::vector<FusedLayer>& layers, Op op) {
  return std::ranges::count(layers, op, &FusedLayer::op);
}

TEST(Lowering, yolov8n_keeps_silu_apart_and_copies_what_it_and_slices_give_into_concats) {
  const std::vector<FusedLayer> layers = pieces("yolov8n");
  // Of every concatenated tensor that no convolution writes: 16 slices and 10 sums of bottlenecks, 8 in the
  // neck, 4 around pooling, 4 in the head.
  EXPECT_EQ(count(layers, Op::concat), 42);
  EXPECT_EQ(count(layers, Op::slice), 16);       // two of each of eight C2f blocks
  EXPECT_GE(count(layers, Op::activation), 57);  // SiLU
  // Its enqueue time over that of resnet50, 1.327 over 0.420 ms with 58 kernels and 0.05 ms of each apart
  // from them, speaks of 200.
  EXPECT_GE(layers.size(), 185U);
  EXPECT_LE(layers.size(), 215U);
}

TEST(Lowering, a_graph_folds_what_a_kernel_of_a_library_takes_along_and_nothing_else) {
  const auto graph = [](const char* model) {
    const Model* const found = find_model(model);
    return fuse(found->build(found->default_input), Lowering::graph);
  };
  const std::vector<FusedLayer> resnet = graph("resnet50");
  // Convolutions with all around them, as TensorRT; those of four shortcuts have no ReLU: their bias is
  // apart.
  EXPECT_EQ(resnet.size(), pieces("resnet50").size() + 4);
  EXPECT_EQ(count(resnet, Op::add), 4);
  EXPECT_EQ(count(resnet, Op::batch_norm) + count(resnet, Op::activation), 0);
  const std::vector<FusedLayer> mobilenet = graph("mobilenet_v2");
  EXPECT_EQ(count(mobilenet, Op::activation), 35);  // ReLU6 is a Clip
  EXPECT_EQ(count(mobilenet, Op::add), 52 + 10);    // biases and shortcuts
  const std::vector<FusedLayer> yolo = graph("yolov8n");
  EXPECT_GT(count(yolo, Op::activation), 56);  // SiLU
  EXPECT_GT(count(yolo, Op::slice), 0);        // a copy, not a view
  EXPECT_LT(count(yolo, Op::concat), count(pieces("yolov8n"), Op::concat)) << "one kernel each";
  const std::vector<FusedLayer> bert = graph("distilbert");
  EXPECT_EQ(count(bert, Op::softmax), 6);  // attention stays in pieces
  EXPECT_EQ(count(bert, Op::matmul), 12);
}

TEST(Lowering, a_graph_converts_layouts_around_convolutions_on_tensor_cores) {
  const auto kernels = [](Precision precision, const gpu::Spec& gpu) {
    return kernels_for({.model = "resnet50", .precision = precision, .lowering = Lowering::graph}, {}, gpu)
        .kernels.size();
  };
  gpu::Spec plain = orin();
  plain.tensor_cores = {};
  EXPECT_EQ(kernels(Precision::fp16, orin()), kernels(Precision::fp16, plain) + 2 * 53);
}

TEST(Lowering, a_graph_in_fp32_rounds_convolutions_to_tf32_but_neither_depthwise_ones_nor_products) {
  const auto pipes = [](Lowering lowering, const char* model, bool depthwise) {
    const Model* found = find_model(model);
    const std::vector<FusedLayer> layers = fuse(found->build(found->default_input), lowering);
    const KernelsOfLayers all = roofline_by_layer(layers, 1, Precision::fp32, lowering, orin());
    std::map<Op, double> most;
    for (std::size_t i = 0; i < all.layer.size(); ++i) {
      const FusedLayer& layer = layers[all.layer[i]];
      if (layer.depthwise == depthwise)
        most[layer.op] = std::max(most[layer.op], static_cast<double>(all.sequence.kernels[i].tensor_active));
    }
    return most;
  };
  EXPECT_GT(pipes(Lowering::graph, "mobilenet_v2", false).at(Op::conv), 0.01);
  EXPECT_EQ(pipes(Lowering::graph, "mobilenet_v2", true).at(Op::conv), 0);
  EXPECT_EQ(pipes(Lowering::graph, "mobilenet_v2", false).at(Op::linear), 0);
  EXPECT_EQ(pipes(Lowering::graph, "vit_small", false).at(Op::matmul), 0);
  EXPECT_EQ(pipes(Lowering::optimised, "mobilenet_v2", false).at(Op::conv), 0);
}

TEST(Lowering, distilbert_is_a_handful_of_kernels_a_layer) {
  const std::vector<FusedLayer> layers = pieces("distilbert");
  EXPECT_EQ(count(layers, Op::softmax), 0);  // inside attention
  EXPECT_EQ(count(layers, Op::matmul), 6);   // one attention a layer
  EXPECT_GE(layers.size(), 40U);             // TensorRT: 40 to 80 launches
  EXPECT_LE(layers.size(), 80U);
}

TEST(Lowering, pieces_read_only_pieces_before_them_and_one_at_least_is_an_output) {
  for (const Model& model : models()) {
    const Network network = model.build(model.default_input);
    for (const Lowering lowering : {Lowering::framework, Lowering::optimised}) {
      const std::vector<FusedLayer> layers = fuse(network, lowering);
      for (std::size_t i = 0; i < layers.size(); ++i) {
        for (const std::size_t input : layers[i].inputs) EXPECT_LT(input, i) << model.name;
      }
      EXPECT_TRUE(std::ranges::any_of(layers, &FusedLayer::last)) << model.name;
    }
  }
}

void check_kernels(const gpu::KernelSequence& sequence, std::size_t layers) {
  EXPECT_GE(sequence.kernels.size(), layers);
  for (const gpu::Kernel& kernel : sequence.kernels) {
    EXPECT_GT(kernel.duration, sim::Duration::zero());
    EXPECT_GT(kernel.blocks, 0U);
    EXPECT_TRUE(std::isfinite(kernel.dram_bytes) && kernel.dram_bytes >= 0);
    EXPECT_NEAR(kernel.fixed_share + kernel.compute_share + kernel.memory_share, 1, 1e-4);
  }
}

TEST(Lowering, every_network_runs_in_every_lowering_and_precision_at_any_batch) {
  const gpu::Spec gpu = orin();
  for (const Model& model : models()) {
    SCOPED_TRACE(model.name);
    const Network network = model.build(model.default_input);
    for (const Lowering lowering : {Lowering::framework, Lowering::optimised}) {
      const std::vector<FusedLayer> layers = fuse(network, lowering);
      // Without tensor cores what was concatenated before is the beginning of the next: no copy.
      const auto needed = static_cast<std::size_t>(
          std::ranges::count_if(layers, [](const FusedLayer& layer) { return !layer.shared_copy; }));
      for (const Precision precision : all_precisions) {
        sim::Duration before;
        for (const std::int64_t batch : {1, 8, 64}) {
          const gpu::KernelSequence sequence = roofline(layers, batch, precision, lowering, gpu);
          check_kernels(sequence, needed);
          EXPECT_GT(sequence.total(), before) << to_string(precision) << " " << batch;
          before = sequence.total();
        }
      }
    }
  }
}

TEST(Lowering, libraries_for_cores_fold_batch_norms_and_rectifiers_and_nothing_else) {
  const auto count = [](const std::vector<FusedLayer>& layers, Op op) {
    return std::ranges::count(layers, op, &FusedLayer::op);
  };
  const auto of = [](const char* name) {
    const Model* const found = find_model(name);
    return fuse(found->build(found->default_input), Lowering::cores);
  };
  const std::vector<FusedLayer> resnet = of("resnet50"), yolo = of("yolov8n"), dense = of("densenet121");
  EXPECT_EQ(resnet.size(), 72U) << "53 convolutions, 16 sums with their ReLU, two pools, a linear layer";
  EXPECT_EQ(count(yolo, Op::batch_norm), 0);
  EXPECT_EQ(count(yolo, Op::activation), 58) << "57 SiLU and a sigmoid";
  EXPECT_GT(count(yolo, Op::slice), 10) << "copied";
  EXPECT_GT(count(dense, Op::batch_norm), 50) << "in front of their convolutions";
  const auto joined = std::ranges::find(yolo, Op::concat, &FusedLayer::op);
  EXPECT_EQ(joined->in.elements() + joined->other_elements, joined->out.elements());
}

TEST(Lowering, every_network_runs_on_the_cpu) {
  const HostRoofs roofs{.fp32_ops_per_clock = 16,
                        .fp16_ops_per_clock = 32,
                        .int8_ops_per_clock = 64,
                        .efficiency = 0.5,
                        .core_bandwidth_bytes_per_s = 10e9,
                        .bandwidth_bytes_per_s = 30e9,
                        .cache_bytes = 2e6,
                        .join = {}};
  const HostLibrary library{.product_passes = 2,
                            .depthwise = 0.4,
                            .winograd_passes = 8,
                            .exponential = 16,
                            .softmax = 8,
                            .norm = 8,
                            .conversion = 10,
                            .copy = 3,
                            .concatenation = 1,
                            .pooling = 8,
                            .batch_norm = 8};
  const HostTeam team{.threads = 4, .reference_clock_hz = 1.5e9, .clock_hz = 1.5e9};
  for (const Model& model : models()) {
    const std::vector<FusedLayer> layers = fuse(model.build(model.default_input), Lowering::cores);
    for (const Precision precision : all_precisions) {
      for (const std::int64_t batch : {1, 8}) {
        const std::vector<sim::Duration> work = host_layers(layers, batch, precision, library, roofs, team);
        EXPECT_EQ(work.size(), layers.size()) << model.name;
        EXPECT_TRUE(std::ranges::all_of(work, [](sim::Duration one) { return one > sim::Duration::zero(); }))
            << model.name;
      }
    }
  }
}

TEST(Lowering, int8_leaves_attention_and_norms_in_fp16_and_only_convolutions_pay_for_borders) {
  const gpu::Spec gpu = orin();
  const std::vector<FusedLayer> layers = pieces("bert_tiny");
  std::ptrdiff_t half = 0;
  for (const FusedLayer& layer : layers)
    if (path_for(gpu, layer, Precision::int8).precision == Precision::fp16) ++half;
  EXPECT_GT(half, 0);
  const auto launches = [&](Precision precision) {
    return kernels_for({.model = "bert_tiny", .precision = precision, .lowering = Lowering::optimised}, {},
                       gpu)
        .kernels.size();
  };
  EXPECT_EQ(launches(Precision::int8), launches(Precision::fp16));
}

TEST(Lowering, a_precision_without_units_becomes_fp32_layer_by_layer) {
  const gpu::Spec gpu = without_tensor_cores();
  for (const FusedLayer& layer : pieces("resnet50")) {
    EXPECT_EQ(path_for(gpu, layer, Precision::int8).precision, Precision::fp32);
    EXPECT_EQ(path_for(gpu, layer, Precision::fp16).precision, Precision::fp16);
  }
}

TEST(Lowering, channels_are_padded_for_tensor_cores_alone) {
  const ArithmeticPath int8{.precision = Precision::int8, .tensor_cores = true};
  const ArithmeticPath plain{.precision = Precision::fp32, .tensor_cores = false};
  EXPECT_EQ(padded_channels(3, int8), 4);
  EXPECT_EQ(padded_channels(16, int8), 32);
  EXPECT_EQ(padded_channels(80, int8), 96);
  EXPECT_EQ(padded_channels(80, plain), 80);
}

// A Jetson Nano, where fc6 of VGG-16 has 411 MB of weights in fp32 and one row of results.
TEST(Tiling, a_vector_is_bound_by_its_weights_in_a_framework_and_fills_tiles_in_tensorrt) {
  gpu::Spec nano = without_tensor_cores();
  nano.sm_count = 1;
  const auto seconds = [&nano](bool vector) {
    const Product product{.columns = 4096, .depth = 25088, .plain = true, .vector = vector};
    return best_tiling(product, path_for(nano, Precision::fp32), nano).seconds;
  };
  const double weights = 4.0 * 4096 * 25088;
  const double loaded = weights / (nano.kernels.l2_bytes_per_clock * nano.max_clock_hz);
  EXPECT_NEAR(seconds(true), loaded, 0.05 * loaded);
  EXPECT_GT(seconds(false), 1.5 * loaded);
}

RC_GTEST_PROP(Tiling, is_never_faster_than_the_peak_nor_slower_with_more_sms,
              (std::uint16_t rows, std::uint8_t columns, std::uint8_t depth)) {
  const gpu::Spec gpu = orin();
  gpu::Spec twice = gpu;
  twice.sm_count *= 2;
  const Product product{.rows = 1 + rows, .columns = 1 + columns, .depth = 16 * (1 + depth)};
  const ArithmeticPath path = path_for(gpu, Precision::fp16);
  const Tiling tiling = best_tiling(product, path, gpu);
  RC_ASSERT(tiling.seconds >= tiling.useful_ops / (path.ops_per_clock * gpu.sm_count * gpu.max_clock_hz));
  RC_ASSERT(best_tiling(product, path, twice).seconds <= tiling.seconds * (1 + 1e-12));
  RC_ASSERT(tiling.shape.shared_bytes <= static_cast<unsigned>(gpu.shared_bytes_per_sm));
  RC_ASSERT(tiling.splits == 1 || product.depth / tiling.splits >= 64);
}

// Arithmetic and memory overlap: what is hidden at one clock may be the bound at another.
TEST(Clocks, a_slow_gpu_turns_kernels_that_memory_bounds_into_kernels_that_arithmetic_bounds) {
  gpu::Kernel kernel{.duration = sim::microseconds(100)};
  kernel.compute_share = 0.1F;
  kernel.memory_share = 0.6F;
  kernel.fixed_share = 0.3F;
  kernel.hidden_share = 0.4F;
  kernel.start_share = 0.1F;
  const gpu::Kernel slow = at_clocks(kernel, {0.25, 1});
  EXPECT_EQ(slow.memory_share, 0);
  EXPECT_NEAR(sim::to_us(slow.duration), 40 + 160 + 30, 0.01);
  const gpu::Kernel back = at_clocks(slow, {4, 1});
  EXPECT_NEAR(sim::to_us(back.duration), 100, 0.01);
  EXPECT_NEAR(back.memory_share, 0.6, 1e-5);
}

RC_GTEST_PROP(Clocks, there_and_back_is_where_one_was, ()) {
  const double gpu = *rc::gen::inRange(10, 200) / 100.0;
  const double memory = *rc::gen::inRange(10, 200) / 100.0;
  const gpu::KernelSequence given = kernels_for(
      {.model = "resnet18", .precision = Precision::fp16, .lowering = Lowering::optimised}, {}, orin());
  for (const gpu::Kernel& kernel : given.kernels) {
    const gpu::Kernel back = at_clocks(at_clocks(kernel, {gpu, memory}), {1 / gpu, 1 / memory});
    RC_ASSERT(std::abs(sim::to_us(back.duration) - sim::to_us(kernel.duration)) < 1e-3);
  }
}

TEST(Clocks, computing_at_a_clock_and_going_to_it_agree) {
  gpu::Spec slow = orin();
  slow.max_clock_hz = 0.408e9;
  const Request request{.model = "resnet50", .precision = Precision::fp16, .lowering = Lowering::optimised};
  const double direct = sim::to_ms(kernels_for(request, {}, slow).total());
  const double scaled = sim::to_ms(at_clocks(kernels_for(request, {}, orin()), {0.4, 1}).total());
  EXPECT_NEAR(scaled / direct, 1, 0.01);  // tiles are chosen at the maximum
}

}  // namespace JOSTLE_FILE
}  // namespace jostle::dnn
