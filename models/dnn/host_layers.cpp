#include "models/dnn/host_layers.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace jostle::dnn {
namespace {

constexpr double longest_s = 1e4;
// Winograd's tiles have 4 x 4 results, of 6 x 6 transformed values.
constexpr std::int64_t tile = 4, tile_values = 36;
constexpr double rows_at_once = 6;  // of results, in XNNPACK's micro-kernels: 4x8 or 6x8 in fp32
constexpr int fewest_channels = 8;  // ncnn uses the plain product if there are fewer

double rate(const HostRoofs& roofs, Precision precision) {
  switch (precision) {
    case Precision::fp16:
      return roofs.fp16_ops_per_clock;
    case Precision::int8:
      return roofs.int8_ops_per_clock;
    default:
      break;
  }
  return roofs.fp32_ops_per_clock;
}

double efficiency(const HostRoofs& roofs, Precision precision) {
  return precision == Precision::int8 && roofs.int8_efficiency > 0 ? roofs.int8_efficiency : roofs.efficiency;
}

bool is_winograd(const FusedLayer& layer) {
  return layer.op == Op::conv && layer.window_area == 9 && layer.stride == 1 && layer.dilation == 1 &&
         layer.groups == 1 && !layer.volume && layer.in.channels >= fewest_channels &&
         layer.out.channels >= fewest_channels;
}

bool has_exponential(Activation activation) {
  using enum Activation;
  return activation == silu || activation == gelu || activation == sigmoid || activation == tanh ||
         activation == other;
}

// True if XNNPACK has no kernel in int8 for the layer as ExecuTorch asks for it (its
// backends/xnnpack/partition/config: the precisions of each operator).
bool in_floats(const FusedLayer& layer) {
  switch (layer.op) {
    case Op::activation:
      return layer.activation != Activation::relu && layer.activation != Activation::relu6;
    case Op::average_pool:
      return layer.out.positions() > 1;
    case Op::batch_norm:
    case Op::embedding:
    case Op::layer_norm:
    case Op::matmul:
    case Op::other:
    case Op::resize:
    case Op::softmax:
      return true;
    default:
      return false;
  }
}

// The work of the cores for a layer.
struct LayerWork {
  double clocks = 0;  // clocks of arithmetic, on one core
  double alone = 0;   // clocks of one thread that the others wait for
  double bytes = 0;   // bytes through a core
  double far = 0;     // bytes of them to and from memory
};

// Costs of the layers of one network in one precision.
class LayerCosts {
 public:
  LayerCosts(std::span<const FusedLayer> layers, std::int64_t batch, Precision used,
             const HostLibrary& library, const HostRoofs& roofs)
      : layers_(layers),
        images_(static_cast<double>(batch)),
        used_(used),
        library_(library),
        roofs_(roofs),
        floats_between_(used == Precision::int8 && library.int8_between_floats) {}

  [[nodiscard]] LayerWork of(const FusedLayer& layer) const {
    const Format format = format_of(layer);
    LayerWork work =
        library_.winograd_passes > 0 && is_winograd(layer) ? winograd(layer, format) : plain(layer, format);
    add_elements(layer, format, work);
    if (library_.conversion == 0) return work;
    for (const std::size_t input : layer.inputs)
      if (format_of(layers_[input]).precision != format.precision)
        add_streamed(library_.conversion, elements(layers_[input].out), 4, work);
    return work;
  }
  // Bytes that the layer has at hand: tensors and weights.
  [[nodiscard]] double held(const FusedLayer& layer) const {
    const Format format = format_of(layer);
    return format.tensor_bytes * tensors(layer) + layer.weight_bytes(format.weight_bytes);
  }
  // Bytes of a product's weights that come from memory again for each few rows of results: those that a cache
  // of `enough` bytes would keep, and this one does not.
  [[nodiscard]] double reread(const FusedLayer& layer, double enough) const {
    const double weights = layer.weight_bytes(format_of(layer).weight_bytes);
    const bool product =
        layer.macs > 0 && !layer.depthwise && !(library_.winograd_passes > 0 && is_winograd(layer));
    if (!product || weights > enough || weights <= roofs_.cache_bytes) return 0;
    const double rows = images_ * static_cast<double>(layer.out.positions());
    return (weights - roofs_.cache_bytes) * std::max(rows / rows_at_once - 1, 0.0);
  }

 private:
  // The format that a layer is computed in, and the bytes of its elements between layers and of its weights.
  struct Format {
    Precision precision;
    double tensor_bytes, weight_bytes;
  };
  [[nodiscard]] Format format_of(const FusedLayer& layer) const {
    if (used_ == Precision::int8 && library_.conversion > 0 && in_floats(layer))
      return {Precision::fp32, 4, 4};
    const double bytes = bytes_per_element(used_);
    return {used_, !floats_between_ ? bytes : roofs_.fp16_ops_per_clock > 0 ? 2.0 : 4.0, bytes};
  }

  [[nodiscard]] double elements(const Shape& shape) const {
    return images_ * static_cast<double>(shape.elements());
  }
  [[nodiscard]] double read(const FusedLayer& layer) const {
    const std::int64_t others = layer.cache_bits > 0 ? 0 : layer.other_elements;
    return elements(layer.in) + images_ * static_cast<double>(others);
  }
  [[nodiscard]] double clocks(double macs, double ops_per_clock, Precision precision) const {
    return 2 * macs / (ops_per_clock * efficiency(roofs_, precision));
  }
  // The share of a tensor's bytes that the caches have lost when the next layer reads it. The oldest are
  // lost first, and they are read first: a tensor as large as the caches is half lost.
  [[nodiscard]] double lost(double bytes) const {
    const double cache = roofs_.cache_bytes;
    return cache > 0 ? std::clamp(bytes / cache - 0.5, 0.0, 1.0) : 1;
  }

  [[nodiscard]] LayerWork plain(const FusedLayer& layer, Format format) const {
    const bool product = layer.macs > 0 && !layer.depthwise;
    const double passes = product ? library_.product_passes : 1;
    const double relative = layer.depthwise ? library_.depthwise : 1;
    LayerWork work = moved(layer, format, passes * format.tensor_bytes * tensors(layer));
    work.clocks = clocks(images_ * static_cast<double>(layer.macs), rate(roofs_, format.precision) * relative,
                         format.precision);
    add_far(layer.weight_bytes(format.weight_bytes) + images_ * layer.cache_bytes(), work);
    return work;
  }

  // Transformed int8 values need 16 bits. Their products are summed in as many lanes as those of fp32.
  [[nodiscard]] LayerWork winograd(const FusedLayer& layer, Format format) const {
    const auto across = [](int size) { return (size + tile - 1) / tile; };
    const auto values = static_cast<double>(tile_values * across(layer.out.height) * across(layer.out.width));
    const double in = layer.in.channels, out = layer.out.channels;
    const double wide = std::max(format.weight_bytes, 2.0);
    const double own = rate(roofs_, format.precision);
    const double peak = format.precision == Precision::int8 ? std::min(own, roofs_.fp32_ops_per_clock) : own;
    const double weights =
        static_cast<double>(layer.weights * tile_values) / static_cast<double>(layer.window_area);
    LayerWork work = moved(layer, format,
                           format.tensor_bytes * library_.product_passes * tensors(layer) +
                               wide * library_.winograd_passes * images_ * values * (in + out));
    work.clocks = clocks(images_ * values * in * out, peak, format.precision);
    add_far(wide * weights, work);
    return work;
  }

  [[nodiscard]] double tensors(const FusedLayer& layer) const { return read(layer) + elements(layer.out); }
  [[nodiscard]] LayerWork moved(const FusedLayer& layer, Format format, double bytes) const {
    const double largest = format.tensor_bytes * std::max(read(layer), elements(layer.out));
    return {.clocks = 0, .alone = 0, .bytes = bytes, .far = bytes * lost(largest)};
  }
  static void add_far(double bytes, LayerWork& work) {
    work.bytes += bytes;
    work.far += bytes;
  }

  // Adds `clocks` for each element of a tensor that streams through a core.
  void add_streamed(double clocks, double elements, double element_bytes, LayerWork& work) const {
    const double far = lost(elements * element_bytes);
    work.clocks += clocks * elements * (1 - far);
    work.alone += clocks * elements * far;
  }

  // Adds what elements cost beside multiply-adds and bytes.
  void add_elements(const FusedLayer& layer, Format format, LayerWork& work) const {
    const double out = elements(layer.out);
    const bool floats = format.precision != Precision::int8;
    switch (layer.op) {
      case Op::activation:
        if (floats && has_exponential(layer.activation))
          add_streamed(library_.exponential, out, format.tensor_bytes, work);
        break;
      case Op::softmax:
        if (floats) work.clocks += library_.softmax * out;
        break;
      case Op::layer_norm:
        if (floats) work.clocks += library_.norm * out;
        break;
      case Op::average_pool:
        if (layer.out.positions() > 1)
          work.alone += library_.pooling * static_cast<double>(layer.window_area) * out;
        break;
      case Op::batch_norm:
        work.alone += library_.batch_norm * out;
        break;
      case Op::resize:
      case Op::slice:
      case Op::transpose:
        work.alone += library_.copy * out;
        break;
      case Op::concat:
        work.alone += library_.concatenation * out;
        break;
      default:
        break;
    }
  }

  std::span<const FusedLayer> layers_;
  double images_;
  Precision used_;
  const HostLibrary& library_;
  const HostRoofs& roofs_;
  bool floats_between_;
};

double real_seconds(const LayerWork& work, const HostRoofs& roofs, const HostTeam& team) {
  const double core_s = work.clocks / team.clock_hz + work.bytes / roofs.core_bandwidth_bytes_per_s;
  return std::max(core_s / team.threads, work.far / roofs.bandwidth_bytes_per_s) + work.alone / team.clock_hz;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a network, and the settings it runs with
HostDemand host_demand(std::span<const FusedLayer> layers, std::int64_t batch, Precision precision,
                       const HostLibrary& library, const HostRoofs& roofs, const HostTeam& team) {
  HostRoofs own = roofs;
  own.cache_bytes = std::min(roofs.own_cache_bytes, roofs.cache_bytes);
  const Precision used = host_precision(roofs, precision);
  const LayerCosts with(layers, batch, used, library, roofs), without(layers, batch, used, library, own);
  HostDemand sum;
  for (const FusedLayer& layer : layers) {
    const LayerWork work = with.of(layer);
    LayerWork lost = without.of(layer);
    lost.far += without.reread(layer, roofs.cache_bytes);
    const double seconds = real_seconds(work, roofs, team);
    sum.seconds += seconds;
    sum.far_bytes += work.far;
    sum.held_bytes += with.held(layer) * seconds;
    sum.lost_seconds += real_seconds(lost, roofs, team);
    sum.lost_bytes += lost.far;
  }
  if (sum.seconds > 0) sum.held_bytes /= sum.seconds;
  return sum;
}

Precision host_precision(const HostRoofs& roofs, Precision precision) {
  return precision != Precision::tf32 && rate(roofs, precision) > 0 ? precision : Precision::fp32;
}

// NOLINTNEXTLINE(readability-function-size): a network, and the settings it runs with
std::vector<sim::Duration> host_layers(std::span<const FusedLayer> layers, std::int64_t batch,
                                       Precision precision, const HostLibrary& library,
                                       const HostRoofs& roofs, const HostTeam& team) {
  const Precision used = host_precision(roofs, precision);
  if (batch < 1 || team.threads < 1 || !(rate(roofs, used) * efficiency(roofs, used) > 0) ||
      !(roofs.core_bandwidth_bytes_per_s > 0 && roofs.bandwidth_bytes_per_s > 0) || !(team.clock_hz > 0) ||
      !(team.reference_clock_hz > 0))
    throw std::invalid_argument("inference on the CPU needs a batch, a rate and a bandwidth");
  const LayerCosts costs(layers, batch, used, library, roofs);
  std::vector<sim::Duration> work;
  work.reserve(layers.size());
  for (const FusedLayer& layer : layers) {
    // Time at the reference clock.
    const double seconds =
        real_seconds(costs.of(layer), roofs, team) * (team.clock_hz / team.reference_clock_hz);
    if (seconds > longest_s) throw std::invalid_argument("a layer would take longer than can be simulated");
    work.push_back(sim::seconds(seconds) +
                   (layer.macs > 0 ? roofs.join * (team.threads - 1) : sim::Duration()));
  }
  return work;
}

}  // namespace jostle::dnn
