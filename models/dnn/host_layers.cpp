#include "models/dnn/host_layers.hpp"

#include <algorithm>
#include <stdexcept>

namespace jostle::dnn {
namespace {

constexpr double longest_s = 1e4;

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

}  // namespace

Precision host_precision(const HostRoofs& roofs, Precision precision) {
  return precision != Precision::tf32 && rate(roofs, precision) > 0 ? precision : Precision::fp32;
}

std::vector<sim::Duration> host_layers(std::span<const FusedLayer> layers, std::int64_t batch,
                                       Precision precision, const HostRoofs& roofs, const HostTeam& team) {
  const Precision used = host_precision(roofs, precision);
  const double threads = team.threads;
  const double ops_per_s = threads * rate(roofs, used) * roofs.efficiency * team.reference_clock_hz;
  const double bandwidth = std::min(threads * roofs.core_bandwidth_bytes_per_s, roofs.bandwidth_bytes_per_s);
  if (batch < 1 || ops_per_s <= 0 || bandwidth <= 0 || team.clock_hz <= 0)
    throw std::invalid_argument("inference on the CPU needs a batch, a rate and a bandwidth");
  const double element_bytes = bytes_per_element(used);
  const auto images = static_cast<double>(batch);
  std::vector<sim::Duration> work;
  work.reserve(layers.size());
  for (const FusedLayer& layer : layers) {
    const auto tensors =
        static_cast<double>(layer.in.elements() + layer.out.elements() + layer.other_elements);
    const double bytes = element_bytes * (images * tensors + static_cast<double>(layer.weights));
    const double compute_s = 2 * images * static_cast<double>(layer.macs) / ops_per_s;
    const double memory_s = bytes / bandwidth * (team.clock_hz / team.reference_clock_hz);
    const double seconds = std::max(compute_s, memory_s);
    if (seconds > longest_s) throw std::invalid_argument("a layer would take longer than can be simulated");
    work.push_back(sim::seconds(seconds));
  }
  return work;
}

}  // namespace jostle::dnn
