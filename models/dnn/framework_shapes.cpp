#include "models/dnn/framework_shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "models/gpu/occupancy.hpp"
#include "sim/math.hpp"

namespace jostle::dnn {
namespace {

// Printed by scripts/fit-framework-laws --shapes --code; evidence/h100-nets/shapes.csv says how much of a
// kind's time each row stands for.
constexpr std::array measured_shapes{
    ShapeOf{LaunchKind::attention, std::nullopt, 0, 0, {384, 168, 134144, 8192, true}},
    ShapeOf{LaunchKind::average_pool, std::nullopt, 0, 0, {1024, 40, 0, 1024, false}},
    ShapeOf{LaunchKind::batch_norm, std::nullopt, 0, 0, {512, 32, 0, 8192, false}},
    ShapeOf{LaunchKind::batched, Precision::fp16, 0, 0, {128, 96, 16384, 2048, false}},
    ShapeOf{LaunchKind::concat, std::nullopt, 0, 0, {128, 32, 0, 128, false}},
    ShapeOf{LaunchKind::conv, Precision::fp16, 32, 0, {128, 88, 61440, 2048, false}},
    ShapeOf{LaunchKind::conv, Precision::fp16, 0, 0, {384, 168, 231424, 4096, true}},
    ShapeOf{LaunchKind::copy, std::nullopt, 0, 0, {128, 18, 0, 512, false}},
    ShapeOf{LaunchKind::curve, std::nullopt, 0, 0, {128, 32, 0, 1024, false}},
    ShapeOf{LaunchKind::depthwise, std::nullopt, 0, 0, {256, 128, 0, 1024, false}},
    ShapeOf{LaunchKind::depthwise_many, std::nullopt, 0, 0, {128, 72, 0, 4096, false}},
    ShapeOf{LaunchKind::depthwise_planar, std::nullopt, 0, 0, {1024, 32, 0, 1024, false}},
    ShapeOf{LaunchKind::fill, std::nullopt, 0, 0, {128, 16, 0, 4194304, false}},
    ShapeOf{LaunchKind::first_conv, Precision::fp16, 0, 0, {128, 106, 4096, 4096, false}},
    ShapeOf{LaunchKind::first_conv, Precision::fp32, 0, 0, {64, 64, 2304, 1024, false}},
    ShapeOf{LaunchKind::first_conv, Precision::tf32, 0, 0, {128, 124, 4096, 4096, false}},
    ShapeOf{LaunchKind::gather, std::nullopt, 0, 0, {96, 32, 0, 1024, false}},
    ShapeOf{LaunchKind::gemm, Precision::fp16, 0, 0, {384, 168, 217340, 256, true}},
    ShapeOf{LaunchKind::layer_norm, std::nullopt, 0, 0, {128, 32, 24, 512, false}},
    ShapeOf{LaunchKind::layout, Precision::fp16, 0, 0, {1024, 30, 0, 32, true}},
    ShapeOf{LaunchKind::max_pool, std::nullopt, 0, 0, {1024, 32, 12288, 8192, false}},
    ShapeOf{LaunchKind::max_pool_planar, std::nullopt, 0, 0, {256, 23, 0, 256, false}},
    ShapeOf{LaunchKind::pointwise, Precision::fp16, 0, 0, {128, 33, 0, 1024, false}},
    ShapeOf{LaunchKind::pointwise, std::nullopt, 0, 0, {128, 28, 0, 1024, false}},
    ShapeOf{LaunchKind::reduce, Precision::fp16, 0, 0, {128, 48, 2064, 128, false}},
    ShapeOf{LaunchKind::reduce, std::nullopt, 0, 0, {512, 32, 16, 16, false}},
    ShapeOf{LaunchKind::resize, Precision::fp16, 0, 0, {1024, 30, 0, 1024, false}},
    ShapeOf{LaunchKind::resize, std::nullopt, 0, 0, {1024, 54, 0, 1048576, false}},
    ShapeOf{LaunchKind::resize_point, std::nullopt, 0, 0, {1024, 56, 0, 4194304, false}},
    ShapeOf{LaunchKind::softmax, std::nullopt, 0, 0, {128, 24, 0, 512, false}},
    ShapeOf{LaunchKind::split, std::nullopt, 0, 0, {512, 32, 0, 128, false}},
    ShapeOf{LaunchKind::statistics, std::nullopt, 0, 0, {128, 32, 0, 512, false}},
    ShapeOf{LaunchKind::strided, Precision::fp16, 0, 0, {128, 18, 0, 512, false}},
    ShapeOf{LaunchKind::strided, std::nullopt, 0, 0, {128, 18, 0, 256, false}},
    ShapeOf{LaunchKind::transform, std::nullopt, 0, 0, {1024, 30, 0, 16, true}},
    // Shapes of single precision, evidence/h200-random/shapes.csv.
    ShapeOf{LaunchKind::batch_norm_planar, std::nullopt, 0, 0, {256, 19, 0, 1024, false}},
    ShapeOf{LaunchKind::conv, Precision::fp32, 0, 0, {64, 92, 6528, 1024, false}, 1.5e6},
    ShapeOf{LaunchKind::conv, Precision::fp32, 0, 0, {128, 166, 16896, 4096, false}},
    ShapeOf{LaunchKind::depthwise_rows, std::nullopt, 0, 0, {256, 128, 0, 1024, false}},
    ShapeOf{LaunchKind::fourier_conv, std::nullopt, 0, 0, {128, 126, 19200, 4096, false}},
    ShapeOf{LaunchKind::gemm, Precision::fp32, 0, 0, {64, 80, 6912, 1024, false}, 3.7e5},
    ShapeOf{LaunchKind::gemm, Precision::fp32, 0, 0, {128, 128, 13056, 4096, false}},
    ShapeOf{LaunchKind::grouped, std::nullopt, 0, 0, {384, 168, 231424, 1024, true}},
    ShapeOf{LaunchKind::grouped_direct, std::nullopt, 0, 0, {1024, 40, 0, 1024, false}},
    ShapeOf{LaunchKind::grouped_each, std::nullopt, 0, 0, {64, 92, 6528, 1024, false}},
    ShapeOf{LaunchKind::large_conv, std::nullopt, 0, 0, {128, 255, 33280, 16384, false}},
    ShapeOf{LaunchKind::layout, std::nullopt, 0, 0, {256, 32, 4224, 1024, false}},
    ShapeOf{LaunchKind::tiled_attention, std::nullopt, 0, 0, {128, 168, 36352, 4096, false}},
    ShapeOf{LaunchKind::vector, std::nullopt, 0, 0, {128, 159, 528, 4, false}},
};

// Attention of one token of each sequence: a block computes the queries of one head of the keys
// (evidence/h200-llm/kernels.csv, cudnn_generated_fort_native_sdpa_sm80_flash_fprop: 2 blocks of
// qwen2.5_0.5b).
constexpr BlockShape thin_attention_shape{128, 120, 45376, 512, false};

// Products in tf32 (evidence/h200-random/products.csv: 561 of a sweep of shapes, and those of
// launches.csv.gz). The library takes tiles of 64 x 64 as long as there is an SM for each, then larger ones,
// so that there is one round; where the largest are too many, persistent blocks on all SMs but some, since
// clusters of four leave a few.
constexpr BlockShape small_tiles{128, 92, 98304, 64 * 64, false};
constexpr BlockShape wide_tiles{128, 168, 73728, 64 * 128, false};
constexpr BlockShape conv_tiles{128, 119, 122880, 64 * 32, false};
constexpr BlockShape warp_group_tiles{384, 168, 231424, 64 * 64, true};

struct Tiled {
  const BlockShape* shape = nullptr;
  double blocks = 1;
};

Tiled tiled_in_tf32(const Launch& launch, double sms) {
  constexpr double side = 64, padding = 1.15, clusters = 0.92, shallow = 400, few = 66;
  constexpr double shallow_planar = 700, deep_conv = 1500;
  const double channels = launch.work.out.channels, depth = 1e3 * launch.steps;
  const double tiles = std::ceil(launch.written / channels / side) * std::ceil(channels / side);
  const double larger = tiles <= sms ? 1 : tiles <= 2 * sms ? 2 : tiles <= 4 * sms ? 4 : 0;
  const Tiled one_round{&warp_group_tiles,
                        larger > 0 ? std::min(padding * tiles / larger, sms) : clusters * sms};
  if (launch.kind == LaunchKind::gemm)
    return depth <= shallow && larger == 1 ? Tiled{&small_tiles, padding * tiles} : one_round;
  if (launch.kind == LaunchKind::conv) {
    if (depth <= shallow_planar) return {&conv_tiles, tiles / 2};
    if (tiles > few) return one_round;
    return {&conv_tiles, depth > deep_conv ? std::max(tiles, sms) : padding * tiles};  // sums are split
  }
  if (depth <= shallow_planar)
    return tiles <= 2 * sms ? Tiled{&small_tiles, padding * tiles} : Tiled{&wide_tiles, tiles / 2};
  return tiles <= few ? Tiled{&small_tiles, std::max(tiles, few)} : one_round;
}

bool is_tiled_in_tf32(const Launch& launch, Precision precision) {
  return precision == Precision::tf32 &&
         (launch.kind == LaunchKind::gemm || launch.kind == LaunchKind::conv ||
          launch.kind == LaunchKind::planar || launch.kind == LaunchKind::planar_odd);
}

// True for a row that holds for the launch in its precision.
bool suits(const ShapeOf& row, const Launch& launch) {
  if (row.kind != launch.kind) return false;
  if (row.operations > 0 && launch.operations > row.operations) return false;
  if (row.written > 0 && launch.written > row.written) return false;
  return row.channels == 0 || launch.work.out.channels / std::max(launch.work.groups, 1) <= row.channels;
}

// Results in a part of a large product's work: nvjet_sm90_hsh_256x128 and 320x128 for products of 4096 and
// 8192 (evidence/h200-space/beside_products.csv).
constexpr double largest_tile = 256.0 * 128;

std::uint32_t parts_of(const Launch& launch, double results) {
  constexpr double largest_grid = 1e9;
  return static_cast<std::uint32_t>(std::clamp(std::ceil(launch.written / results), 1.0, largest_grid));
}

// The library takes the tile that suits a product's shape, and has a block for each as long as these fit in
// one round: of products on an H100 (1815 in fp16, evidence/h100-nets/launches.csv.gz) small ones have 75
// blocks by time, those of a million results 126, larger ones fill all 132 SMs.
std::uint32_t most_blocks(double written, std::uint32_t tiles, int sms) {
  constexpr double small = 32'768, share_of_small = 0.57, share_of_e_fold = 0.115, one_round = 0.75;
  if (tiles <= static_cast<std::uint32_t>(sms) && tiles >= one_round * sms) return tiles;
  const double share = share_of_small + share_of_e_fold * sim::log(std::max(written / small, 1.0));
  return static_cast<std::uint32_t>(std::ceil(std::min(share, 1.0) * sms));
}

}  // namespace

std::span<const ShapeOf> framework_shapes() {
  return measured_shapes;
}

const BlockShape& shape_of(const Launch& launch, Precision precision) {
  if (launch.kind == LaunchKind::thin_attention) return thin_attention_shape;
  const ShapeOf* other = nullptr;
  for (const ShapeOf& row : measured_shapes) {
    if (!suits(row, launch)) continue;
    if (!row.precision || *row.precision == precision) return row.shape;
    if (row.channels == 0 && row.operations == 0 && row.written == 0) other = &row;
  }
  if (other == nullptr)
    throw std::invalid_argument("no blocks for kernels of the kind '" + std::string(to_string(launch.kind)) +
                                "'");
  return other->shape;
}

void set_blocks(gpu::Kernel& kernel, const Launch& launch, Precision precision, const gpu::Spec& gpu) {
  const Tiled tiled = is_tiled_in_tf32(launch, precision) ? tiled_in_tf32(launch, gpu.sm_count) : Tiled{};
  const BlockShape& shape = tiled.shape != nullptr ? *tiled.shape : shape_of(launch, precision);
  const double known = tiled.shape != nullptr ? std::ceil(tiled.blocks) : launch.blocks;
  kernel.blocks = known > 0 ? static_cast<std::uint32_t>(known) : parts_of(launch, shape.results);
  kernel.threads_per_block = shape.threads;
  kernel.registers_per_thread = shape.registers;
  kernel.shared_bytes = shape.shared_bytes;
  kernel.persistent = shape.persistent;
  kernel.blocks = gpu::grid_on(gpu, kernel, gpu.sm_count);
  if (!kernel.persistent || launch.kind != LaunchKind::gemm || precision != Precision::fp16) return;
  kernel.tiles = parts_of(launch, largest_tile);
  kernel.blocks = std::min(kernel.blocks, most_blocks(launch.written, kernel.tiles, gpu.sm_count));
}

}  // namespace jostle::dnn
