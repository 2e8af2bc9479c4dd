// The part of a language model's steps that the cores compute, if its entry has `gpu_layers` or `cpu_moe`,
// beside the kernels of the rest; or all of a step, with placement: cpu. The cores read no faster than the
// profile's memory.cores.
#include <algorithm>
#include <cmath>

#include "models/board/spec.hpp"
#include "models/cpu/spec.hpp"
#include "models/llm/core_time.hpp"
#include "scenarios/language/scenario.hpp"
#include "scenarios/run/language_work.hpp"

namespace jostle::scenarios {
namespace {

constexpr double activation_bytes = 4;  // ggml's activations are fp32

// The rates of the cores, none faster than the memory serves them.
llm::CoreRates core_rates(const WorkContext& context, int threads) {
  const board::DeviceSpec& device = context.device;
  llm::CoreRates rates = device.language.value();
  double together = llm::bandwidth_of(rates, threads);
  if (const auto& cores = device.memory.cores) together = std::min(together, cores->together);
  const double capacity = board::memory_capacity(device, context.clocks.emc_hz);
  if (device.memory.unified && capacity > 0) together = std::min(together, capacity);
  rates.bandwidth_bytes_per_s = together * device.what_if.memory;
  rates.core_bandwidth_bytes_per_s *= device.cpu->what_if;
  rates.crowding = 0;
  return rates;
}

class HostCosts {
 public:
  HostCosts(const ProcessEntry& entry, const WorkContext& context)
      : weights_(entry.language->weights),
        team_(team_of(offload_threads(entry, context.cpus), context)),
        rates_(core_rates(context, team_.threads)) {}

  // The work of each thread, in reference time.
  [[nodiscard]] sim::Duration of(const dnn::FusedLayer& layer, std::int64_t batch) const {
    return llm::core_time(layer, batch, weights_, rates_, team_);
  }
  // Sets the memory traffic of each thread, if all move `bytes` in the part's time.
  void set_traffic(process::HostPart& part, double bytes) const {
    sim::Duration work;
    const auto add = [&work](const std::vector<sim::Duration>& blocks) {
      for (const sim::Duration block : blocks) work += block;
    };
    add(part.before);
    for (const process::CoreVisit& visit : part.visits) add(visit.blocks);
    add(part.after);
    part.traffic = traffic_of(bytes, work, rates_.bandwidth_bytes_per_s, team_);
  }

 private:
  llm::WeightFormat weights_;
  dnn::HostTeam team_;
  llm::CoreRates rates_;
};

// Adds what is copied for layers that the GPU computes for the cores: the weights, once for each so many rows
// as the runtime computes at once, and on a card of its own the rows, if `rows_too`.
void add_copies(const dnn::FusedLayer& layer, std::int64_t batch, bool rows_too, process::HostPart& host) {
  const double rows = static_cast<double>(layer.out.height * batch);
  const double at_once = process::traits_of(Runtime::llama_cpp).serving.step;
  host.input_bytes += layer.weight_bytes(0) * std::ceil(rows / at_once);
  if (!rows_too) return;
  host.input_bytes += activation_bytes * static_cast<double>(layer.in.elements() * batch);
  host.output_bytes += activation_bytes * static_cast<double>(layer.out.elements() * batch);
}

// Divides a step into the kernels of the GPU and the blocks of the cores.
class Division {
 public:
  Division(const WholeStep& step, const ProcessEntry& entry, const WorkContext& context)
      : step_(step),
        costs_(entry, context),
        parts_(llm::parts_of(*language_model(entry.work.model), step.layers, step.batch, offload_of(entry))),
        card_(!context.device.memory.unified),
        each_(crowded(entry, context)) {}

  DividedStep take() {
    std::vector<std::size_t> visit_of;  // by layer: the visits that begin before it
    for (std::size_t i = 0; i < step_.layers.size(); ++i) {
      put(i);
      visit_of.push_back(made_.host.visits.size());
    }
    share_out_kernels(visit_of);
    costs_.set_traffic(made_.host, bytes_);
    return std::move(made_);
  }

 private:
  // Bytes of a layer's rows from or to another layer.
  [[nodiscard]] double rows(const dnn::Shape& of) const {
    return activation_bytes * static_cast<double>(of.elements() * step_.batch);
  }
  [[nodiscard]] double& input_of_last() {
    return made_.host.visits.empty() ? made_.host.input_bytes : made_.host.visits.back().input_bytes;
  }
  [[nodiscard]] double& output_of_last() {
    return made_.host.visits.empty() ? made_.host.output_bytes : made_.host.visits.back().output_bytes;
  }

  void put(std::size_t i) {
    const dnn::FusedLayer& layer = step_.layers[i];
    const llm::Part& part = parts_[i];
    const bool goes_on = between_;  // the layer before is of experts that the cores compute
    between_ = part.between_kernels();
    if (goes_on && !between_) input_of_last() += rows(step_.layers[i - 1].out);
    if (part.on_gpu) {
      if (!part.at_home_on_gpu) add_copies(layer, step_.batch, card_ && !part.expert_apart, made_.host);
      if (part.at_home_on_gpu && !crossed_ && card_) made_.host.input_bytes += rows(layer.in);
      crossed_ = crossed_ || part.at_home_on_gpu;
      return;
    }
    if (between_ && !goes_on) {
      // Each expert of a token gets the same row, which is copied once.
      output_of_last() += rows(layer.in) / layer.groups;
      made_.host.visits.emplace_back();
    }
    compute(layer, part);
  }

  void compute(const dnn::FusedLayer& layer, const llm::Part& part) {
    process::HostPart& host = made_.host;
    std::vector<sim::Duration>& blocks = between_   ? host.visits.back().blocks
                                         : crossed_ ? host.after
                                                    : host.before;
    if (&blocks == &host.after && blocks.empty() && card_) output_of_last() += rows(layer.in);
    if (blocks.empty() || part.block != block_ || each_) blocks.emplace_back();
    block_ = part.block;
    blocks.back() += costs_.of(layer, step_.batch);
    bytes_ += layer.weight_bytes(0) + layer.cache_bytes() * static_cast<double>(step_.batch);
  }

  // The kernels whose layers the GPU computes, those of each visit by themselves.
  void share_out_kernels(const std::vector<std::size_t>& visit_of) {
    const dnn::KernelsOfLayers& whole = step_.kernels;
    made_.kernels = whole.sequence;
    made_.kernels.kernels.clear();
    std::vector<process::CoreVisit>& visits = made_.host.visits;
    for (process::CoreVisit& visit : visits) {
      visit.kernels.launched_whole = whole.sequence.launched_whole;
      visit.kernels.grade = whole.sequence.grade;
    }
    const auto sequence = [&](std::size_t visit) -> gpu::KernelSequence& {
      return visit == 0 ? made_.kernels : visits[visit - 1].kernels;
    };
    for (std::size_t i = 0; i < whole.layer.size(); ++i)
      if (parts_[whole.layer[i]].on_gpu)
        sequence(visit_of[whole.layer[i]]).kernels.push_back(whole.sequence.kernels[i]);
    for (std::size_t visit = 0; visit <= visits.size(); ++visit) sequence(visit).rebuild_finish();
  }

  const WholeStep& step_;
  HostCosts costs_;
  std::vector<llm::Part> parts_;
  bool card_;  // the GPU has a memory of its own
  bool each_;  // each operator is a block of its own
  DividedStep made_;
  double bytes_ = 0;  // moved by the cores
  int block_ = -1;
  bool crossed_ = false;  // the GPU had a layer of its own before
  bool between_ = false;  // the layer is of experts that the cores compute
};

}  // namespace

llm::Offload offload_of(const ProcessEntry& entry) {
  const LanguageWork& work = *entry.language;
  if (entry.host.placement == Placement::cpu) return {};
  return {.gpu_layers = work.gpu_layers.value_or(llm::most_layers(*language_model(entry.work.model))),
          .cpu_moe_layers = work.cpu_moe};
}

int offload_threads(const ProcessEntry& entry, std::size_t cpus) {
  const llm::Offload by = offload_of(entry);
  if (by.gpu_layers >= llm::most_layers(*language_model(entry.work.model)) && by.cpu_moe_layers == 0)
    return 0;
  if (entry.host.threads) return static_cast<int>(*entry.host.threads);
  return static_cast<int>(entry.host.cpus.empty() ? cpus : entry.host.cpus.size());
}

bool crowded(const ProcessEntry& entry, const WorkContext& context) {
  return crowded(offload_threads(entry, context.cpus), entry, context);
}

process::HostPart on_cores(const std::vector<dnn::FusedLayer>& layers, std::int64_t batch,
                           const ProcessEntry& entry, const WorkContext& context) {
  const HostCosts costs(entry, context);
  const bool each = crowded(entry, context);
  const std::vector<llm::Part> parts =
      llm::parts_of(*language_model(entry.work.model), layers, batch, offload_of(entry));
  process::HostPart made;
  double bytes = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i == 0 || each || parts[i].block != parts[i - 1].block) made.before.emplace_back();
    made.before.back() += costs.of(layers[i], batch);
    bytes += layers[i].weight_bytes(0) + layers[i].cache_bytes() * static_cast<double>(batch);
  }
  costs.set_traffic(made, bytes);
  return made;
}

DividedStep divided(const WholeStep& step, const ProcessEntry& entry, const WorkContext& context) {
  return Division(step, entry, context).take();
}

}  // namespace jostle::scenarios
