#include "models/dnn/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "models/dnn/tile_traffic.hpp"
#include "models/dnn/tiling.hpp"
#include "models/gpu/occupancy.hpp"

namespace jostle::dnn {
namespace {

// An engineering estimate, the same for every network and GPU.
constexpr double elements_per_block = 512;  // pointwise kernels have 128 threads of four elements

constexpr double schedulers = 4, warp = 32;  // per SM, an instruction per clock each; threads

constexpr double longest_kernel_s = 1e4;  // limit of one kernel: a thousand of them still fit simulated time

struct Work {
  double compute_s = 0;
  double bytes = 0;          // bytes to and from DRAM
  double moved = 0;          // bytes to and from L2
  double waves_s = 0;        // time in which blocks of attention neither compute nor stream
  double tensor_clocks = 0;  // sum over all SMs, with the pipe fully busy
  double instructions = 0;   // number of warp instructions
  bool in_turn = false;      // a warp waits for its bytes before it computes on them
};

// Computes the times of single kernels of one request.
class Estimator {
 public:
  Estimator(std::int64_t batch, Lowering lowering, const gpu::Spec& gpu)
      : images_(static_cast<double>(batch)),
        batch_(batch),
        tried_(lowering != Lowering::framework),
        library_(lowering == Lowering::graph),
        gpu_(gpu),
        bandwidth_(reachable_bandwidth(gpu, gpu.max_clock_hz,
                                       gpu.bandwidth_bytes_per_s * gpu.bandwidth_efficiency)) {}

  [[nodiscard]] gpu::Kernel kernel(const FusedLayer& layer, const ArithmeticPath& path) const {
    Work work{.bytes = bytes(layer, path), .moved = moved(layer, path)};
    if (layer.macs == 0 || layer.depthwise) return plain(layer, work);
    const Product product = product_of(layer, path);
    const Tiling tiling = best_tiling(product, path, gpu_);
    work.compute_s = tiling.seconds;
    if (layer.cache_bits > 0) {
      // A block of one token's attention waits for a tile of keys or values, then computes on it. The group
      // of queries that shares a head of keys is one tile (llama.cpp: fattn-mma-f16.cuh), so numbers of the
      // cache count, not heads of queries.
      if (layer.cache_cycles > 0) work.compute_s = 0;
      work.waves_s = images_ * static_cast<double>(layer.other_elements) * layer.cache_cycles /
                     (gpu_.sm_count * gpu_.max_clock_hz);
      if (layer.block_cycles > 0) return attention(layer, work);
    }
    if (layer.weight_bits > 0) {
      work.compute_s = packed_s(layer, tiling);
      work.in_turn = true;
    } else {
      work.bytes += traffic_of_tiles(layer, path, product, tiling);
    }
    if (path.tensor_cores) {
      work.tensor_clocks = tiling.useful_ops / path.ops_per_clock;
      work.instructions = work.tensor_clocks * schedulers * gpu_.kernels.instructions.per_tensor_clock;
    } else {
      const double lanes = path.precision == Precision::fp16 ? 4 : 2;  // operations per lane and clock
      work.instructions = tiling.useful_ops / (lanes * warp) * gpu_.kernels.instructions.per_fma;
    }
    const double results = layer.weight_gradient ? static_cast<double>(layer.once)
                                                 : images_ * static_cast<double>(layer.out.elements());
    work.instructions += results / warp * gpu_.kernels.instructions.per_result;
    return finish(tiling.shape, work);
  }

  // Converts between two formats; `elements` per image. In a library's graph the kernel before or after it
  // has the same tensor, of which L2 holds a part; TensorRT's also stand between engines.
  [[nodiscard]] gpu::Kernel reformat(std::int64_t elements, double from_bytes, double to_bytes) const {
    const double all = images_ * static_cast<double>(elements);
    const double moved = all * (from_bytes + to_bytes);
    return finish(pointwise_shape(all),
                  {.bytes = library_ ? beyond_l2(all * from_bytes) + beyond_l2(all * to_bytes) : moved,
                   .moved = moved,
                   .instructions = 2 * all / warp * gpu_.kernels.instructions.per_moved});
  }

 private:
  // Speed-up by fast convolution algorithms. Winograd's algorithm saves multiplications for 3 x 3 windows;
  // cuDNN and TensorRT have it on CUDA cores. Other algorithms do so for wider windows if the runtime tries
  // them; with cuDNN's heuristics a framework uses the plain product.
  [[nodiscard]] double gain_of(const FusedLayer& layer, const ArithmeticPath& path) const {
    if (layer.op != Op::conv || path.tensor_cores || layer.weight_gradient) return 1;
    if (layer.window_area > 9) return tried_ ? 1 : gpu_.kernels.heuristic_algorithm_efficiency;
    const bool winograd =
        layer.window_area == 9 && layer.stride == 1 && layer.in.channels / layer.groups >= 32;
    if (!winograd) return 1;
    return tried_ ? winograd_gain(gpu_, path.precision) : gpu_.kernels.winograd_gain;
  }

  [[nodiscard]] Product product_of(const FusedLayer& layer, const ArithmeticPath& path) const {
    Product product{.count = layer.groups,
                    .gain = gain_of(layer, path),
                    .plain = layer.op == Op::linear || layer.op == Op::matmul,
                    .cuda_efficiency = tried_ ? cuda_efficiency(gpu_, path.precision) : 0};
    if (layer.op == Op::matmul) {
      product.count *= batch_;
      product.depth = std::max(layer.depth, 1);
      product.rows = layer.out.height;
      product.columns = std::max<std::int64_t>(layer.macs / (product.depth * product.rows * layer.groups), 1);
      return product;
    }
    const std::int64_t in = padded_channels(layer.in.channels / layer.groups, path);
    const std::int64_t out = padded_channels(layer.out.channels / layer.groups, path);
    const bool transposed = layer.op == Op::conv_transpose;
    if (layer.weight_gradient) {
      product.rows = transposed ? in : out;
      product.columns = (transposed ? out : in) * layer.window_area;
      product.depth = batch_ * (transposed ? layer.in : layer.out).positions();
      return product;
    }
    product.rows = batch_ * (transposed ? layer.in : layer.out).positions();
    product.columns = transposed ? out * layer.window_area : out;
    product.depth = transposed ? in : in * layer.window_area;
    // cuBLAS multiplies a vector by a kernel of its own (gemv). TensorRT's tiles have their full height at a
    // single row too: AlexNet on a Jetson Nano (torch2trt), and on parts of a V100 (igniter).
    product.vector = product.plain && product.rows == 1 && layer.weight_bits == 0 && (!tried_ || library_);
    if (layer.experts > 0) {
      product.count = static_cast<std::int64_t>(std::ceil(layer.experts));
      product.rows =
          static_cast<std::int64_t>(std::ceil(static_cast<double>(product.rows) / layer.sets_of_weights()));
    }
    return product;
  }

  // Elements as stored: tensor cores need padded channels.
  [[nodiscard]] double stored(const Shape& shape, const ArithmeticPath& path) const {
    return images_ * static_cast<double>(padded_channels(shape.channels, path) * shape.positions());
  }

  [[nodiscard]] double bytes(const FusedLayer& layer, const ArithmeticPath& path) const {
    const double element = bytes_per_element(path.precision), others = other_bytes(layer, path);
    return beyond_l2(element * stored(layer.in, path)) + (layer.cache_bits > 0 ? others : beyond_l2(others)) +
           beyond_l2(element * stored(layer.out, path)) + weight_bytes(layer, path) +
           element * static_cast<double>(layer.once);
  }
  [[nodiscard]] double moved(const FusedLayer& layer, const ArithmeticPath& path) const {
    return bytes_per_element(path.precision) *
               (stored(layer.in, path) + stored(layer.out, path) + static_cast<double>(layer.once)) +
           other_bytes(layer, path) + weight_bytes(layer, path);
  }
  [[nodiscard]] double other_bytes(const FusedLayer& layer, const ArithmeticPath& path) const {
    constexpr double bits = 8;
    const double each = layer.cache_bits > 0 ? layer.cache_bits / bits : bytes_per_element(path.precision);
    return each * images_ * static_cast<double>(layer.other_elements);
  }
  // Attention of one token of each of several sequences: a block for each head of queries and sequence, one
  // at a time on an SM. Blocks take their turns in waves; keys and values stream beside that.
  [[nodiscard]] gpu::Kernel attention(const FusedLayer& layer, Work work) const {
    gpu::Kernel kernel;
    kernel.threads_per_block = 128;
    kernel.blocks = static_cast<std::uint32_t>(images_ * layer.heads);
    work.waves_s += std::ceil(kernel.blocks / static_cast<double>(gpu_.sm_count)) * layer.block_cycles /
                    gpu_.max_clock_hz;
    return finish(kernel, work);
  }
  // The time of products with weights of a language model. They run as tiles, each row of which unpacks the
  // weights, or as one dot product per output channel on CUDA cores, which unpack each weight once for all
  // rows. Runtimes have both, so the shorter time counts; a single row is always a dot product (llama.cpp:
  // mmvq.cu).
  [[nodiscard]] double packed_s(const FusedLayer& layer, const Tiling& tiling) const {
    const double sms = gpu_.sm_count * gpu_.max_clock_hz;
    const double sets = layer.sets_of_weights();
    const double unpack = sets * static_cast<double>(layer.weights) * layer.unpack_cycles / sms;
    const double lanes = std::max(gpu_.cuda_cores.fp32, gpu_.cuda_cores.fp16);
    const double multiply =
        2 * images_ * static_cast<double>(layer.macs) / (lanes * sms * gpu_.kernels.cuda_efficiency);
    const double dots = std::max(multiply, unpack) + sets * layer.row_cycles * layer.out.channels / sms;
    if (batch_ * layer.in.positions() == 1) return dots;
    return std::min(tiling.seconds + unpack * static_cast<double>(tiling.rows), dots);
  }
  [[nodiscard]] static double weight_bytes(const FusedLayer& layer, const ArithmeticPath& path) {
    return layer.weight_bytes(bytes_per_element(path.precision));
  }

  // The bytes that tiles of a product move beyond one pass over its tensors. A library's product of a graph
  // takes one row of tiles after another, and each row reads all weights, the part that L2 does not hold
  // until the next row from DRAM: vit_small in ONNX Runtime on an Orin Nano with 2 MiB of L2 moves some 500
  // MB, its 88 MB of weights four times (dankang21/jetson-latency-lab: 90 ms at an EMC clock of 204 MHz).
  // TensorRT's kernels of tensor cores order blocks so that L2 holds what they share (CUTLASS calls it a
  // swizzle): on Orin the EMC counters show one pass
  // (Roofline.a_network_moves_the_bytes_that_the_memory_clock_counts). No counter of a framework's run is
  // at hand, so these have one pass.
  [[nodiscard]] double traffic_of_tiles(const FusedLayer& layer, const ArithmeticPath& path,
                                        const Product& product, const Tiling& tiling) const {
    const double element = bytes_per_element(path.precision);
    if (library_)
      return beyond_l2(element * static_cast<double>(layer.weights)) * static_cast<double>(tiling.rows - 1);
    if (!tried_ || path.tensor_cores) return 0;
    const double input = element * stored(layer.in, path), output = element * stored(layer.out, path);
    const double weights = weight_bytes(layer, path);
    if (product.gain > 1) return winograd_traffic(tiling, input, weights, output, gpu_.l2_bytes);
    const auto products = static_cast<double>(product.count);
    Operands operands{.rows = input, .columns = weights};
    if (layer.op == Op::matmul) {
      const double each = element * products * static_cast<double>(product.depth);
      operands = {.rows = each * static_cast<double>(product.rows),
                  .columns = each * static_cast<double>(product.columns)};
    }
    return read_again(tiling, operands, products, gpu_.l2_bytes);
  }
  [[nodiscard]] double beyond_l2(double bytes) const { return dnn::beyond_l2(bytes, gpu_.l2_bytes); }

  // All layers except products: bound by bytes, or by CUDA cores without data reuse.
  [[nodiscard]] gpu::Kernel plain(const FusedLayer& layer, Work work) const {
    const double written = images_ * static_cast<double>(layer.out.elements());
    const double read = images_ * static_cast<double>(layer.in.elements() + layer.other_elements);
    const auto once = static_cast<double>(layer.once);
    work.instructions = (read + written + once) / warp * gpu_.kernels.instructions.per_moved;
    if (layer.depthwise) {
      const double ops = 2 * images_ * static_cast<double>(layer.macs);
      const double peak = gpu_.cuda_cores.fp32 * gpu_.sm_count * gpu_.max_clock_hz;
      work.compute_s = ops / (peak * gpu_.kernels.depthwise_efficiency);
      work.instructions += ops / 2 / warp * gpu_.kernels.instructions.per_fma;
    }
    return finish(pointwise_shape(std::max(written, once)), work);
  }

  [[nodiscard]] static gpu::Kernel pointwise_shape(double elements) {
    gpu::Kernel kernel;
    kernel.threads_per_block = 128;
    kernel.blocks =
        static_cast<std::uint32_t>(std::clamp(std::ceil(elements / elements_per_block), 1.0, 1e9));
    return kernel;
  }

  // Bytes between L2 and SMs share the path of those from DRAM; the profile gives the bytes per clock of this
  // path. On Orin a tensor in L2 is read no faster than one in DRAM at the memory's highest clock. This time
  // follows the GPU's clock, as that of arithmetic does.
  [[nodiscard]] double path_s(const Work& work) const {
    const double most = gpu_.memory_bytes_per_clock * gpu_.max_clock_hz;
    return most > 0 ? work.moved / most : 0;
  }

  [[nodiscard]] gpu::Kernel finish(gpu::Kernel kernel, Work work) const {
    if (!work.in_turn) work.compute_s = std::max(work.compute_s, path_s(work));
    const double memory_s = work.bytes / bandwidth_;
    // Warps that load and compute in turn overlap the two only in part. For q4_k_m in llama.cpp on an Orin
    // Nano, at five pairs of clocks, the root of the sum of squares is within 4 % (dankang21: 24 to 182 ms
    // per token of qwen2.5_1.5b); the maximum is up to 14 % too short.
    const double bound = work.in_turn ? std::sqrt(work.compute_s * work.compute_s + memory_s * memory_s)
                                      : std::max(work.compute_s, memory_s);
    if (bound > longest_kernel_s)
      throw std::invalid_argument("a kernel would take longer than can be simulated");
    const double start = gpu_.kernels.start_cycles / gpu_.max_clock_hz + work.waves_s;
    kernel.duration = sim::seconds(start + bound) + gpu_.kernel_fixed;
    const double total = std::max(sim::to_seconds(kernel.duration), 1e-12);
    const bool by_memory = memory_s > work.compute_s;
    kernel.fixed_share = static_cast<float>(sim::to_seconds(gpu_.kernel_fixed) / total);
    kernel.memory_share = by_memory ? static_cast<float>(memory_s / total) : 0.0F;
    if (work.in_turn && bound > 0)  // the sensitivity d ln(bound) / d ln(memory_s)
      kernel.memory_share = static_cast<float>(memory_s / bound * memory_s / total);
    kernel.compute_share = std::max(0.0F, 1 - kernel.fixed_share - kernel.memory_share);
    kernel.start_share = static_cast<float>(start / total);
    kernel.hidden_share =
        work.in_turn ? 0.0F : static_cast<float>(std::min(work.compute_s, memory_s) / total);
    kernel.dram_bytes = static_cast<float>(work.bytes);
    kernel.moved_bytes = static_cast<float>(work.moved);
    note_activity(kernel, work, total, by_memory);
    return kernel;
  }

  // Sets the activity of the SMs over the kernel's duration. During kernel_fixed no block is resident yet.
  void note_activity(gpu::Kernel& kernel, const Work& work, double total, bool by_memory) const {
    const double sms = gpu_.sm_count;
    const double per_sm = std::ceil(kernel.blocks / sms);  // blocks of the busiest SM
    // If the kernel is bound by memory, SMs that run out of blocks end only little before the others: all
    // wait for the same bytes.
    const double balance = by_memory ? std::min(1.0, kernel.blocks / sms) : kernel.blocks / (sms * per_sm);
    const double resident_share = 1 - static_cast<double>(kernel.fixed_share);
    kernel.sm_active = static_cast<float>(resident_share * balance);
    if (!by_memory) set_waves(kernel, per_sm, (kernel.blocks - (per_sm - 1) * sms) / sms);
    // If the kernel is bound by memory, warps make progress as far as the bytes, or the arithmetic that they
    // hide, keep them busy.
    const double going =
        by_memory ? std::clamp(std::max(gpu::working_while_streaming(gpu_, bandwidth_, gpu_.max_clock_hz),
                                        work.compute_s * bandwidth_ / work.bytes),
                               0.0, 1.0)
                  : 1.0;
    kernel.working =
        static_cast<float>((resident_share - static_cast<double>(kernel.start_share)) * balance * going);
    const double resident = std::min<double>(gpu::blocks_per_sm(gpu_, kernel), per_sm);
    kernel.occupancy = static_cast<float>(
        std::min(1.0, static_cast<double>(kernel.sm_active) * resident * kernel.threads_per_block /
                          std::max(gpu_.max_threads_per_sm, 1)));
    const double clocks = sms * gpu_.max_clock_hz * total;
    const auto most = static_cast<double>(kernel.sm_active);
    kernel.tensor_active = static_cast<float>(std::min(most, work.tensor_clocks / clocks));
    kernel.issue_slot = static_cast<float>(std::min(most, work.instructions / (schedulers * clocks)));
  }

  double images_;
  std::int64_t batch_;
  bool tried_;    // algorithms are tried and the fastest is used
  bool library_;  // products in the order that cuBLAS and cuDNN give them
  const gpu::Spec& gpu_;
  double bandwidth_;
};

constexpr double outside_bytes = 4;  // callers pass and receive fp32

// Convolutions keep the channels of a group together, 32 of int8 and 8 or 16 of fp16, so a tensor between two
// precisions is copied into the other layout. Tensors of rows (of linear layers, attention, normalisations)
// are written in the precision of their reader: TensorRT fuses the quantisation into the kernel before it.
bool in_groups(const FusedLayer& layer) {
  return layer.op == Op::conv || layer.op == Op::conv_transpose;
}

// By default cuDNN rounds the operands of convolutions in fp32 to tf32 where tensor cores take it (developer
// guide: CUDNN_DEFAULT_MATH). Depthwise ones run on CUDA cores, and cuBLAS, which multiplies matrices, rounds
// nothing unless it is told to.
bool rounds(const FusedLayer& layer, const gpu::Spec& gpu) {
  return in_groups(layer) && !layer.depthwise && gpu.tensor_cores.tf32 > 0;
}

void check(std::int64_t batch, const gpu::Spec& gpu) {
  if (batch < 1) throw std::invalid_argument("a batch of " + std::to_string(batch));
  if (gpu.sm_count < 1 || gpu.max_clock_hz <= 0 || gpu.cuda_cores.fp32 <= 0 ||
      gpu.bandwidth_bytes_per_s <= 0 || gpu.bandwidth_efficiency <= 0) {
    throw std::invalid_argument(
        "the GPU '" + gpu.architecture +
        "' lacks a parameter that kernel times need: SM count, clock, fp32 rate or bandwidth");
  }
}

}  // namespace

gpu::KernelSequence roofline(std::span<const FusedLayer> layers, std::int64_t batch, Precision precision,
                             Lowering lowering, const gpu::Spec& gpu) {
  return roofline_by_layer(layers, batch, precision, lowering, gpu).sequence;
}

KernelsOfLayers roofline_by_layer(std::span<const FusedLayer> layers, std::int64_t batch, Precision precision,
                                  Lowering lowering, const gpu::Spec& gpu) {
  check(batch, gpu);
  const Estimator estimator(batch, lowering, gpu);
  const bool reformats = lowering == Lowering::optimised;
  KernelsOfLayers found;
  gpu::KernelSequence& sequence = found.sequence;
  std::vector<double> stored;  // bytes of an element, for each layer
  std::vector<std::string> names;
  const auto add = [&](const gpu::Kernel& kernel, std::string name) {
    sequence.kernels.push_back(kernel);
    names.push_back(std::move(name));
  };
  const auto add_reformat = [&](std::int64_t elements, double from, double to, const FusedLayer& of) {
    add(estimator.reformat(elements, from, to), "reformat, " + of.name);
  };
  for (const FusedLayer& layer : layers) {
    const bool rounded = lowering == Lowering::graph && precision == Precision::fp32 && rounds(layer, gpu);
    const ArithmeticPath path = path_for(gpu, layer, rounded ? Precision::tf32 : precision);
    const double element = bytes_per_element(path.precision);
    if (layer.shared_copy && !path.tensor_cores) {
      stored.push_back(stored[layer.inputs.front()]);
      continue;
    }
    if (reformats && layer.inputs.empty()) {
      add_reformat(layer.in.elements(), outside_bytes, element, layer);
    }
    for (const std::size_t input : layer.inputs) {
      if (!reformats || stored[input] == element) continue;
      if (!in_groups(layer) && !in_groups(layers[input])) continue;
      add_reformat(layers[input].out.elements(), stored[input], element, layer);
    }
    // A graph keeps channels apart in tensors between layers (NCHW); tensor cores need them together.
    const bool turned =
        lowering == Lowering::graph && path.tensor_cores && layer.op == Op::conv && !layer.depthwise;
    if (turned) add_reformat(layer.in.elements(), element, element, layer);
    add(estimator.kernel(layer, path), layer.name);
    if (turned) add_reformat(layer.out.elements(), element, element, layer);
    stored.push_back(element);
    if (reformats && layer.last) add_reformat(layer.out.elements(), element, outside_bytes, layer);
    found.layer.resize(sequence.kernels.size(), stored.size() - 1);
    found.product.resize(sequence.kernels.size(), layer.macs > 0 && !layer.depthwise);
  }
  sequence.names = std::make_shared<const std::vector<std::string>>(std::move(names));
  sequence.grade = gpu::Grade::datasheet;
  const Precision used = path_for(gpu, precision).precision;
  sequence.provenance = "roofline of " + gpu.architecture;
  if (used != precision) sequence.provenance.append(", run as ").append(to_string(used));
  for (gpu::Kernel& kernel : sequence.kernels) kernel.code = gpu::code_of({}, kernel);
  gpu::note_reuse(sequence.kernels);
  sequence.rebuild_finish();
  return found;
}

gpu::Kernel roofline_kernel(const FusedLayer& layer, std::int64_t batch, Precision precision,
                            const gpu::Spec& gpu) {
  check(batch, gpu);
  return Estimator(batch, Lowering::framework, gpu).kernel(layer, path_for(gpu, layer, precision));
}

gpu::KernelSequence reformat(std::int64_t elements, std::int64_t batch, Precision precision,
                             const gpu::Spec& gpu) {
  check(batch, gpu);
  gpu::KernelSequence sequence;
  sequence.kernels.push_back(Estimator(batch, Lowering::optimised, gpu)
                                 .reformat(elements, outside_bytes, bytes_per_element(precision)));
  sequence.grade = gpu::Grade::datasheet;
  sequence.rebuild_finish();
  return sequence;
}

}  // namespace jostle::dnn
