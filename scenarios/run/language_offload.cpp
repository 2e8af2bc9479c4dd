#include "scenarios/run/language_offload.hpp"

#include <algorithm>
#include <cmath>

#include "calibration/profile/profile.hpp"
#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "models/dnn/host_layers.hpp"
#include "models/llm/offload.hpp"
#include "scenarios/language/scenario.hpp"

namespace jostle::scenarios {
namespace {

constexpr double activation_bytes = 4;  // ggml's activations are fp32

// The rates of the cores, none faster than the memory serves them.
dnn::HostRoofs offload_roofs(const WorkContext& context) {
  const board::DeviceSpec& device = context.device;
  dnn::HostRoofs roofs = device.host[Runtime::cpu];
  double& together = roofs.bandwidth_bytes_per_s;
  if (const auto& cores = device.memory.cores) {
    roofs.core_bandwidth_bytes_per_s = std::min(roofs.core_bandwidth_bytes_per_s, cores->read);
    together = std::min(together, cores->together);
  }
  const double capacity = board::memory_capacity(device, context.clocks.emc_hz);
  if (device.memory.unified && capacity > 0) together = std::min(together, capacity);
  together *= device.what_if.memory;
  return roofs;
}

class HostCosts {
 public:
  HostCosts(const ProcessEntry& entry, const WorkContext& context)
      : roofs_(offload_roofs(context)),
        per_layer_(context.device.runtimes[Runtime::cpu]->per_launch),
        team_{.threads = offload_threads(entry, context.cpus),
              .reference_clock_hz = context.device.cpu->reference_clock_hz,
              .clock_hz = *std::ranges::max_element(context.clocks.clusters_hz)} {}

  // The work of each thread, in reference time.
  [[nodiscard]] sim::Duration of(const dnn::FusedLayer& layer, std::int64_t batch) const {
    const bool quantised = layer.weight_bits > 0 && layer.weight_bits < 16;
    const dnn::Precision precision = quantised ? dnn::Precision::int8 : dnn::Precision::fp16;
    return dnn::host_layers(std::span(&layer, 1), batch, precision, {}, roofs_, team_).front() + per_layer_;
  }
  // Sets the memory traffic of each thread, if all move `bytes` in the part's time.
  void set_traffic(process::HostPart& part, double bytes) const {
    sim::Duration work;
    for (const auto* const blocks : {&part.before, &part.after})
      for (const sim::Duration block : *blocks) work += block;
    const double seconds = sim::to_seconds(work) * team_.reference_clock_hz / team_.clock_hz;
    if (seconds <= 0) return;
    part.bytes_per_s = bytes / seconds / team_.threads;
    part.bound = std::min(bytes / roofs_.bandwidth_bytes_per_s / seconds, 1.0);
  }

 private:
  dnn::HostRoofs roofs_;
  sim::Duration per_layer_;
  dnn::HostTeam team_;
};

// The kernels whose layers the GPU computes.
gpu::KernelSequence kernels_on_gpu(const dnn::KernelsOfLayers& whole, const std::vector<llm::Part>& parts) {
  gpu::KernelSequence kernels = whole.sequence;
  kernels.kernels.clear();
  for (std::size_t i = 0; i < whole.layer.size(); ++i)
    if (parts[whole.layer[i]].on_gpu) kernels.kernels.push_back(whole.sequence.kernels[i]);
  kernels.rebuild_finish();
  return kernels;
}

// Adds what is copied for layers that the GPU computes for the cores: the weights, once for each so many rows
// as the runtime computes at once, and on a card of its own the rows.
void add_copies(const dnn::FusedLayer& layer, std::int64_t batch, bool card, process::HostPart& host) {
  const double rows = static_cast<double>(layer.out.height * batch);
  const double at_once = process::traits_of(Runtime::llama_cpp).serving.step;
  host.input_bytes += layer.weight_bytes(0) * std::ceil(rows / at_once);
  if (!card) return;
  host.input_bytes += activation_bytes * static_cast<double>(layer.in.elements() * batch);
  host.output_bytes += activation_bytes * static_cast<double>(layer.out.elements() * batch);
}

}  // namespace

int offload_threads(const ProcessEntry& entry, std::size_t cpus) {
  const auto& layers = entry.language->gpu_layers;
  if (!layers || *layers >= llm::most_layers(*language_model(entry.model))) return 0;
  if (entry.threads) return static_cast<int>(*entry.threads);
  return static_cast<int>(entry.cpus.empty() ? cpus : entry.cpus.size());
}

DividedStep divided(const WholeStep& step, const ProcessEntry& entry, const WorkContext& context) {
  const llm::Architecture& of = *language_model(entry.model);
  const auto parts = llm::parts_of(of, step.layers, step.batch, *entry.language->gpu_layers);
  const bool card = !context.device.memory.unified;
  const HostCosts costs(entry, context);
  DividedStep made{.kernels = kernels_on_gpu(step.kernels, parts), .host = {}};
  double bytes = 0;
  int block = -1;
  bool crossed = false;  // the GPU has a layer of its own before
  for (std::size_t i = 0; i < step.layers.size(); ++i) {
    const dnn::FusedLayer& layer = step.layers[i];
    if (parts[i].on_gpu) {
      if (!parts[i].at_home_on_gpu) add_copies(layer, step.batch, card, made.host);
      if (parts[i].at_home_on_gpu && !crossed && card)
        made.host.input_bytes += activation_bytes * static_cast<double>(layer.in.elements() * step.batch);
      crossed = crossed || parts[i].at_home_on_gpu;
      continue;
    }
    std::vector<sim::Duration>& blocks = crossed ? made.host.after : made.host.before;
    if (crossed && blocks.empty() && card)
      made.host.output_bytes += activation_bytes * static_cast<double>(layer.in.elements() * step.batch);
    if (blocks.empty() || parts[i].block != block) blocks.emplace_back();
    block = parts[i].block;
    blocks.back() += costs.of(layer, step.batch);
    bytes += layer.weight_bytes(0) + layer.cache_bytes() * static_cast<double>(step.batch);
  }
  costs.set_traffic(made.host, bytes);
  return made;
}

}  // namespace jostle::scenarios
