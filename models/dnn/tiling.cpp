#include "models/dnn/tiling.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "models/gpu/occupancy.hpp"

namespace jostle::dnn {
namespace {

// Output tiles as in the kernel names of cuDNN and TensorRT (…_256x128_…, …_64x64_…).
struct Tile {
  int rows, columns, threads;
};
constexpr std::array<Tile, 6> tiles{
    {{256, 128, 256}, {128, 128, 256}, {128, 64, 128}, {64, 64, 128}, {64, 32, 128}, {32, 32, 64}}};
constexpr std::array<std::int64_t, 5> split_choices{1, 2, 4, 8, 16};
constexpr std::int64_t least_depth = 64;        // minimum K of a block after splitting
constexpr int registers_besides_the_tile = 40;  // addresses, fragments and loop state of a thread
constexpr double reduction_s = 1e-6;            // adding the partial sums

// Pipeline buffers in shared memory, in bytes for each row or column of the tile: with asynchronous copies
// (sm_80 and later) three stages of 64 bytes, before that two of 32.
int staged_bytes(const gpu::Spec& gpu) {
  int number = 0;
  const std::size_t digits = gpu.architecture.find('_') + 1;
  std::from_chars(gpu.architecture.data() + digits, gpu.architecture.data() + gpu.architecture.size(),
                  number);
  return number >= 80 ? 3 * 64 : 2 * 32;
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

gpu::Kernel shape_of(const Tile& tile, std::int64_t blocks, const gpu::Spec& gpu) {
  gpu::Kernel kernel;
  kernel.blocks = static_cast<std::uint32_t>(std::min<std::int64_t>(blocks, 1'000'000'000));
  kernel.threads_per_block = static_cast<std::uint32_t>(tile.threads);
  kernel.registers_per_thread =
      static_cast<std::uint32_t>(registers_besides_the_tile + tile.rows * tile.columns / tile.threads);
  kernel.shared_bytes = static_cast<std::uint32_t>(
      std::min(staged_bytes(gpu) * (tile.rows + tile.columns), std::max(gpu.shared_bytes_per_sm, 0)));
  return kernel;
}

}  // namespace

Tiling best_tiling(const Product& product, const ArithmeticPath& path, const gpu::Spec& gpu) {
  const double element = bytes_per_element(path.precision);
  const double efficiency = path.tensor_cores
                                ? std::min(1.0, tensor_efficiency(gpu, path.precision) *
                                                    (product.plain ? gpu.kernels.gemm_gain : 1))
                                : product.gain * (product.cuda_efficiency > 0 ? product.cuda_efficiency
                                                                              : gpu.kernels.cuda_efficiency);
  const double dram =
      reachable_bandwidth(gpu, gpu.max_clock_hz, gpu.bandwidth_bytes_per_s * gpu.bandwidth_efficiency);
  Tiling best{.seconds = std::numeric_limits<double>::infinity(), .shape = {}};
  for (Tile tile : tiles) {
    if (product.vector) tile.rows = 1;
    const std::int64_t cut =
        ceil_div(product.rows, tile.rows) * ceil_div(product.columns, tile.columns) * product.count;
    const gpu::Kernel whole = shape_of(tile, cut, gpu);
    const std::int64_t resident = gpu::blocks_per_sm(gpu, whole);
    for (const std::int64_t splits : split_choices) {
      if (splits > 1 && product.depth / splits < least_depth) break;
      const std::int64_t share = ceil_div(cut * splits, gpu.sm_count);  // tiles of the busiest SM
      const auto depth = static_cast<double>(ceil_div(product.depth, splits));
      const double multiply = 2.0 * tile.rows * tile.columns * depth / (path.ops_per_clock * efficiency);
      const double load = depth * (tile.rows + tile.columns) * element / gpu.kernels.l2_bytes_per_clock;
      const double cycles = static_cast<double>(share) * std::max(multiply, load) +
                            static_cast<double>(ceil_div(share, resident)) * gpu.kernels.wave_cycles;
      const double partial = splits == 1 ? 0
                                         : 4.0 * static_cast<double>(product.rows * product.columns) *
                                                   static_cast<double>(product.count * splits) / dram +
                                               reduction_s;
      const double seconds = cycles / gpu.max_clock_hz + partial;
      if (seconds < best.seconds) {
        best.seconds = seconds;
        best.shape = whole;
        best.shape.blocks = static_cast<std::uint32_t>(std::min<std::int64_t>(cut * splits, 1'000'000'000));
        best.splits = splits;
        best.rows = ceil_div(product.rows, tile.rows);
        best.columns = ceil_div(product.columns, tile.columns);
        best.resident = resident * gpu.sm_count;
      }
    }
  }
  best.useful_ops = 2.0 * static_cast<double>(product.rows * product.columns) *
                    static_cast<double>(product.depth * product.count) / product.gain;
  return best;
}

}  // namespace jostle::dnn
