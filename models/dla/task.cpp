#include "models/dla/task.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/dla/spec.hpp"

namespace jostle::dla {
namespace {

constexpr double longest_s = 1e4;
constexpr std::int64_t group_bytes = 32;
constexpr int image_channels = 4;

double of(const PerPrecision& values, dnn::Precision precision) {
  return precision == dnn::Precision::int8 ? values.int8 : values.fp16;
}

// Number of elements after padding `channels` to whole groups, relative to the number before.
double padding(int channels, double element_bytes) {
  const auto group = static_cast<std::int64_t>(group_bytes / element_bytes);
  const std::int64_t real = std::max(channels, 1);
  const std::int64_t groups = (real + group - 1) / group;
  return static_cast<double>(groups * group) / static_cast<double>(real);
}

// The same for a tensor, which may be an image.
double tensor_padding(int channels, double element_bytes) {
  if (channels > image_channels) return padding(channels, element_bytes);
  return static_cast<double>(image_channels) / static_cast<double>(std::max(channels, 1));
}

struct Cost {
  double operations = 0, bytes = 0;
  double slowed = 1;  // time of an operation relative to that in a wide window
};

class Costs {
 public:
  Costs(std::int64_t batch, dnn::Precision precision, const Spec& spec)
      : pointwise_(spec.pointwise),
        images_(static_cast<double>(batch)),
        element_bytes_(dnn::bytes_per_element(precision)),
        sram_bytes_(spec.sram_bytes) {}

  [[nodiscard]] Cost of_layer(const dnn::FusedLayer& layer) const {
    const double in = tensor_padding(layer.in.channels, element_bytes_);
    const double out = tensor_padding(layer.out.channels, element_bytes_);
    const auto elements = [](std::int64_t count) { return static_cast<double>(count); };
    // Each group of a grouped (or depthwise) convolution fills the multipliers with its own channels only.
    const double per_group =
        layer.groups > 1 ? padding(layer.in.channels / layer.groups, element_bytes_) : in;
    Cost cost;
    cost.operations = 2 * images_ * elements(layer.macs) * per_group;
    // A wider window multiplies what it has loaded several times.
    if (layer.window_area == 1) cost.slowed = 1 / pointwise_;
    cost.bytes = moved(elements(layer.in.elements()) * in) + moved(elements(layer.out.elements()) * out) +
                 moved(elements(layer.other_elements) * out) + elements(layer.weights) * element_bytes_;
    return cost;
  }

 private:
  [[nodiscard]] double moved(double elements) const {
    const double bytes = images_ * elements * element_bytes_;
    return bytes <= sram_bytes_ ? 0 : bytes;
  }

  double pointwise_;
  double images_;
  double element_bytes_;
  double sram_bytes_;
};

}  // namespace

Task task_of(std::span<const dnn::FusedLayer> layers, std::int64_t batch, dnn::Precision precision,
             const Spec& spec, const Clocks& clocks) {
  const bool known = precision == dnn::Precision::int8 || precision == dnn::Precision::fp16;
  const double rate = of(spec.ops_per_clock, precision) * of(spec.efficiency, precision) * clocks.dla_hz;
  const double bandwidth = spec.bandwidth_bytes_per_s * clocks.memory;
  if (!known || rate <= 0 || bandwidth <= 0)
    throw std::invalid_argument("the DLA does not support this precision");
  const Costs costs(batch, precision, spec);
  double total = 0, memory = 0, bytes = 0, operations = 0;
  for (const dnn::FusedLayer& layer : layers) {
    const Cost cost = costs.of_layer(layer);
    const double engine_s = cost.operations * cost.slowed / rate, memory_s = cost.bytes / bandwidth;
    total += std::max(engine_s, memory_s);
    if (memory_s > engine_s) memory += memory_s;
    bytes += cost.bytes;
    operations += cost.operations;
  }
  if (total > longest_s) throw std::invalid_argument("a DLA task would take longer than can be simulated");
  const auto count = static_cast<std::int64_t>(layers.size());
  return {.duration = sim::seconds(total) + spec.layer_fixed * count,
          .memory = sim::seconds(memory),
          .dram_bytes = bytes,
          .operations = operations};
}

}  // namespace jostle::dla
