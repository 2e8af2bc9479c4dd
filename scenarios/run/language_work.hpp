// The kernels of the steps of a scenario entry with a language model, and the memory that it holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/dnn/roofline.hpp"
#include "models/llm/offload.hpp"
#include "models/memory/footprint.hpp"
#include "models/process/generation_spec.hpp"
#include "models/process/spec.hpp"
#include "scenarios/run/process_work.hpp"

namespace jostle::scenarios {

// Sets the text generation of the process; spec.runtime must be set. Throws RunError for what cannot be
// simulated.
void set_generation(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context);

// Bytes held: weights (engine), activations of the longest step (arena), and keys and values (io) of as many
// sequences as are decoded together, at their maximum length. `unified`: CPU and GPU have one memory;
// otherwise what the cores hold of a model with `gpu_layers` or `cpu_moe` does not count.
[[nodiscard]] memory::Footprint language_footprint(const ProcessEntry& entry, bool unified);
// The precisions, or the length of sequences, that would fit if the process is too large by `missing_bytes`.
// Text for messages.
[[nodiscard]] std::string what_would_fit(const ProcessEntry& entry, const board::DeviceSpec& device,
                                         double missing_bytes);

// A step as if the GPU computed all of it.
struct WholeStep {
  std::vector<dnn::FusedLayer> layers;
  std::int64_t batch = 1;  // sequences
  dnn::KernelsOfLayers kernels;
};

// A step that GPU and cores share.
struct DividedStep {
  gpu::KernelSequence kernels;  // before the first of the host's turns
  process::HostPart host;
};

// The parts of the entry's model that the GPU and the cores have.
[[nodiscard]] llm::Offload offload_of(const ProcessEntry& entry);
// Number of threads that compute the layers which the GPU does not; 0: it computes all of them.
[[nodiscard]] int offload_threads(const ProcessEntry& entry, std::size_t cpus);
// True if its threads may have to wait for cores: then each operator is a stretch of work of its own, behind
// which they meet. Where each has a core, the operators of a block are one.
[[nodiscard]] bool crowded(const ProcessEntry& entry, const WorkContext& context);
// A step that the cores compute alone.
[[nodiscard]] process::HostPart on_cores(const std::vector<dnn::FusedLayer>& layers, std::int64_t batch,
                                         const ProcessEntry& entry, const WorkContext& context);
[[nodiscard]] DividedStep divided(const WholeStep& step, const ProcessEntry& entry,
                                  const WorkContext& context);

}  // namespace jostle::scenarios
