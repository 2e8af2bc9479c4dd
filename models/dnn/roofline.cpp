#include "models/dnn/roofline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace jostle::dnn {
namespace {

// An output tile of one block. Small tiles reload more per operation, so they reach less of the peak
// [judgement].
struct Tile {
  int rows, columns;
  double efficiency;
  std::uint32_t threads;
};
constexpr std::array<Tile, 5> tiles{{{256, 128, 0.80, 256},
                                     {128, 128, 0.75, 256},
                                     {128, 64, 0.65, 128},
                                     {64, 64, 0.55, 128},
                                     {64, 32, 0.40, 128}}};
constexpr std::array<std::int64_t, 5> splits{1, 2, 4, 8,
                                             16};     // of K over blocks, whose sums are then added up
constexpr std::int64_t least_depth = 64;              // K left to a block after splitting
constexpr int pipeline_stages = 3, stage_depth = 32;  // buffers a block keeps in shared memory

constexpr double longest_s = 1e4;  // of one kernel: a thousand of them still fit simulated time

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
std::int64_t round_up(std::int64_t a, std::int64_t multiple) {
  return ceil_div(a, multiple) * multiple;
}

double rate(const gpu::OpsPerClock& ops, Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return ops.fp32;
    case Precision::tf32:
      return ops.tf32;
    case Precision::fp16:
      return ops.fp16;
    case Precision::int8:
      return ops.int8;
  }
  return 0;
}

// Tensor cores take channels in groups; images with three channels have kernels of their own that pad to
// four.
std::int64_t padded_channels(std::int64_t channels, const ArithmeticPath& path) {
  if (!path.tensor_cores) return channels;
  if (channels <= 4) return 4;
  return round_up(channels, path.precision == Precision::int8   ? 32
                            : path.precision == Precision::fp16 ? 8
                                                                : 4);
}

struct Candidate {
  double seconds = std::numeric_limits<double>::infinity();
  std::int64_t blocks = 1;
  Tile tile{};
};

// Times of single kernels of one request.
class Estimator {
 public:
  Estimator(std::int64_t batch, Precision precision, const gpu::Spec& gpu, const RooflineConstants& constants)
      : batch_(batch),
        path_(path_for(gpu, precision)),
        gpu_(gpu),
        constants_(constants),
        element_bytes_(bytes_per_element(path_.precision)),
        bandwidth_(gpu.bandwidth_bytes_per_s * gpu.bandwidth_efficiency) {}

  [[nodiscard]] Kernel kernel(const FusedLayer& layer) const {
    if (layer.depthwise) return depthwise(layer);
    return layer.macs > 0 ? product(layer) : pointwise(layer);
  }

  // Between the caller's fp32 and the network's own layout.
  [[nodiscard]] Kernel reformat(const Shape& shape) const {
    const double elements = static_cast<double>(batch_ * shape.elements());
    return finish(pointwise_geometry(elements), 0, elements * (element_bytes_ + 4) / bandwidth_);
  }

 private:
  [[nodiscard]] double bytes(const FusedLayer& layer) const {
    const auto images = static_cast<double>(batch_);
    const double read = read_bytes(images * static_cast<double>(layer.in.elements())) +
                        read_bytes(images * static_cast<double>(layer.residual_elements));
    const double written = element_bytes_ * images * static_cast<double>(layer.out.elements());
    return read + written + element_bytes_ * static_cast<double>(layer.weights);
  }

  // What the layer before wrote may still be in L2.
  [[nodiscard]] double read_bytes(double elements) const {
    const double all = elements * element_bytes_;
    return all <= gpu_.l2_bytes / 2 ? all * constants_.cached_share : all;
  }

  [[nodiscard]] Kernel product(const FusedLayer& layer) const {
    const Candidate best = best_tiling(layer);
    Kernel kernel;
    kernel.blocks = static_cast<std::uint32_t>(std::min<std::int64_t>(best.blocks, 1'000'000'000));
    kernel.threads_per_block = best.tile.threads;
    kernel.registers_per_thread = 128;
    const double shared =
        pipeline_stages * stage_depth * element_bytes_ * (best.tile.rows + best.tile.columns);
    kernel.shared_bytes =
        static_cast<std::uint32_t>(std::min<double>(shared, std::max(0, gpu_.shared_bytes_per_sm)));
    return finish(kernel, best.seconds, bytes(layer) / bandwidth_);
  }

  [[nodiscard]] Candidate best_tiling(const FusedLayer& layer) const {
    const std::int64_t rows = layer.out.positions() * batch_;
    const std::int64_t columns = padded_channels(layer.out.channels / layer.groups, path_);
    const std::int64_t depth =
        padded_channels(layer.in.channels / layer.groups, path_) * layer.window * layer.window;
    const double share = path_.tensor_cores ? constants_.tensor_efficiency : 1.0;
    Candidate best;
    for (const Tile& tile : tiles) {
      for (const std::int64_t split : splits) {
        if (split > 1 && depth / split < least_depth) break;
        const std::int64_t blocks =
            ceil_div(rows, tile.rows) * ceil_div(columns, tile.columns) * split * layer.groups;
        const double ops = 2.0 * tile.rows * tile.columns * static_cast<double>(ceil_div(depth, split));
        const double compute = static_cast<double>(ceil_div(blocks, gpu_.sm_count)) * ops /
                               (path_.ops_per_clock * tile.efficiency * share * gpu_.max_clock_hz);
        // Partial sums are written and read back in 32 bits.
        const double partial = split == 1 ? 0
                                          : 8.0 * static_cast<double>(rows) *
                                                static_cast<double>(columns * split * layer.groups);
        const double seconds = compute + partial / bandwidth_;
        if (seconds < best.seconds) best = {seconds, blocks, tile};
      }
    }
    return best;
  }

  [[nodiscard]] Kernel depthwise(const FusedLayer& layer) const {
    const double ops = 2.0 * static_cast<double>(layer.macs * batch_);
    const double peak = gpu_.cuda_cores.fp32 * gpu_.sm_count * gpu_.max_clock_hz;
    return finish(pointwise_geometry(static_cast<double>(batch_ * layer.out.elements())),
                  ops / (peak * constants_.depthwise_efficiency), bytes(layer) / bandwidth_);
  }

  [[nodiscard]] Kernel pointwise(const FusedLayer& layer) const {
    return finish(pointwise_geometry(static_cast<double>(batch_ * layer.out.elements())), 0,
                  bytes(layer) / bandwidth_);
  }

  // Four elements a thread.
  [[nodiscard]] static Kernel pointwise_geometry(double elements) {
    Kernel kernel;
    kernel.threads_per_block = 128;
    kernel.blocks = static_cast<std::uint32_t>(std::clamp(std::ceil(elements / 512.0), 1.0, 1e9));
    return kernel;
  }

  [[nodiscard]] Kernel finish(Kernel kernel, double compute_s, double memory_s) const {
    const double bound = std::max(compute_s, memory_s);
    if (bound > longest_s) throw std::invalid_argument("a kernel would take longer than can be simulated");
    kernel.duration = sim::seconds(bound) + gpu_.kernel_fixed;
    const double total = sim::to_seconds(kernel.duration);
    kernel.fixed_share = total > 0 ? static_cast<float>(sim::to_seconds(gpu_.kernel_fixed) / total) : 1.0F;
    kernel.compute_share = compute_s >= memory_s ? 1.0F - kernel.fixed_share : 0.0F;
    kernel.memory_share = compute_s >= memory_s ? 0.0F : 1.0F - kernel.fixed_share;
    return kernel;
  }

  std::int64_t batch_;
  ArithmeticPath path_;
  const gpu::Spec& gpu_;
  RooflineConstants constants_;
  double element_bytes_;
  double bandwidth_;
};

void check(std::int64_t batch, const gpu::Spec& gpu) {
  if (batch < 1) throw std::invalid_argument("a batch of " + std::to_string(batch));
  if (gpu.sm_count < 1 || gpu.max_clock_hz <= 0 || gpu.cuda_cores.fp32 <= 0 ||
      gpu.bandwidth_bytes_per_s <= 0 || gpu.bandwidth_efficiency <= 0) {
    throw std::invalid_argument(
        "the GPU '" + gpu.architecture +
        "' lacks a figure kernel times need: SM count, clock, fp32 rate or bandwidth");
  }
}

}  // namespace

ArithmeticPath path_for(const gpu::Spec& gpu, Precision precision) {
  if (const double tensor = rate(gpu.tensor_cores, precision); tensor > 0) return {precision, true, tensor};
  if (const double plain = rate(gpu.cuda_cores, precision); plain > 0) return {precision, false, plain};
  return {Precision::fp32, false, gpu.cuda_cores.fp32};
}

KernelSequence roofline(std::span<const FusedLayer> layers, std::int64_t batch, Precision precision,
                        Lowering lowering, const gpu::Spec& gpu, const RooflineConstants& constants) {
  check(batch, gpu);
  const Estimator estimator(batch, precision, gpu, constants);
  const bool reformats = lowering == Lowering::optimised && !layers.empty();
  KernelSequence sequence;
  if (reformats) sequence.kernels.push_back(estimator.reformat(layers.front().in));
  for (const FusedLayer& layer : layers) sequence.kernels.push_back(estimator.kernel(layer));
  if (reformats) sequence.kernels.push_back(estimator.reformat(layers.back().out));
  sequence.grade = Grade::datasheet;
  const Precision used = path_for(gpu, precision).precision;
  sequence.provenance = "roofline of " + gpu.architecture;
  if (used != precision) sequence.provenance.append(", run as ").append(to_string(used));
  sequence.rebuild_finish();
  return sequence;
}

}  // namespace jostle::dnn
