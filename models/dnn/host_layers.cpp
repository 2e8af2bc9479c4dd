#include "models/dnn/host_layers.hpp"

#include <algorithm>
#include <stdexcept>

namespace jostle::dnn {
namespace {

constexpr double longest_s = 1e4;
// Winograd's tiles have 4 x 4 results, of 6 x 6 transformed values.
constexpr std::int64_t tile = 4, tile_values = 36;
constexpr int fewest_channels = 8;  // ncnn uses the plain product if there are fewer

double rate(const HostRoofs& roofs, Precision precision) {
  switch (precision) {
    case Precision::fp16:
      return roofs.fp16_ops_per_clock;
    case Precision::int8:
      return roofs.int8_ops_per_clock;
    case Precision::fp32:
    case Precision::tf32:
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

// The work of the cores for a layer.
struct LayerWork {
  double clocks = 0;  // clocks of arithmetic, on one core
  double bytes = 0;   // bytes through a core, and to and from memory
};

// Costs of the layers of one network in one precision.
class LayerCosts {
 public:
  LayerCosts(std::int64_t batch, Precision used, const HostLibrary& library, const HostRoofs& roofs)
      : images_(static_cast<double>(batch)), used_(used), library_(library), roofs_(roofs) {
    element_bytes_ = bytes_per_element(used);
    const bool floats = used == Precision::int8 && library.int8_between_floats;
    tensor_bytes_ = !floats ? element_bytes_ : roofs.fp16_ops_per_clock > 0 ? 2 : 4;
  }

  [[nodiscard]] LayerWork of(const FusedLayer& layer) const {
    if (library_.winograd_passes > 0 && is_winograd(layer)) return winograd(layer);
    const bool product = layer.macs > 0 && !layer.depthwise;
    const double passes = product ? library_.product_passes : 1;
    const double relative = layer.depthwise ? library_.depthwise : 1;
    return {.clocks = clocks(images_ * static_cast<double>(layer.macs), rate(roofs_, used_) * relative),
            .bytes = tensor_bytes_ * passes * tensors(layer) + layer.weight_bytes(element_bytes_) +
                     images_ * layer.cache_bytes()};
  }

 private:
  [[nodiscard]] double tensors(const FusedLayer& layer) const {
    const std::int64_t others = layer.cache_bits > 0 ? 0 : layer.other_elements;
    return images_ * static_cast<double>(layer.in.elements() + layer.out.elements() + others);
  }
  [[nodiscard]] double clocks(double macs, double ops_per_clock) const {
    return 2 * macs / (ops_per_clock * efficiency(roofs_, used_));
  }

  // Transformed int8 values need 16 bits. Their products are summed in as many lanes as those of fp32.
  [[nodiscard]] LayerWork winograd(const FusedLayer& layer) const {
    const auto across = [](int size) { return (size + tile - 1) / tile; };
    const auto values = static_cast<double>(tile_values * across(layer.out.height) * across(layer.out.width));
    const double in = layer.in.channels, out = layer.out.channels;
    const double wide = std::max(element_bytes_, 2.0);
    const double peak = used_ == Precision::int8 ? std::min(rate(roofs_, used_), roofs_.fp32_ops_per_clock)
                                                 : rate(roofs_, used_);
    const double weights =
        static_cast<double>(layer.weights * tile_values) / static_cast<double>(layer.window_area);
    return {.clocks = clocks(images_ * values * in * out, peak),
            .bytes = tensor_bytes_ * library_.product_passes * tensors(layer) + wide * weights +
                     wide * library_.winograd_passes * images_ * values * (in + out)};
  }

  double images_;
  Precision used_;
  const HostLibrary& library_;
  const HostRoofs& roofs_;
  double element_bytes_ = 0, tensor_bytes_ = 0;  // bytes of a weight; bytes of an element between layers
};

}  // namespace

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
  const LayerCosts costs(batch, used, library, roofs);
  const double threads = team.threads;
  std::vector<sim::Duration> work;
  work.reserve(layers.size());
  for (const FusedLayer& layer : layers) {
    const auto [clocks, bytes] = costs.of(layer);
    const double core_s = clocks / team.clock_hz + bytes / roofs.core_bandwidth_bytes_per_s;
    const double real_s = std::max(core_s / threads, bytes / roofs.bandwidth_bytes_per_s);
    const double seconds = real_s * (team.clock_hz / team.reference_clock_hz);  // time at the reference clock
    if (seconds > longest_s) throw std::invalid_argument("a layer would take longer than can be simulated");
    work.push_back(sim::seconds(seconds) + roofs.join * (team.threads - 1));
  }
  return work;
}

}  // namespace jostle::dnn
