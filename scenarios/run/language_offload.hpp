// The part of a language model's steps that the cores compute, if its entry has `gpu_layers` or `cpu_moe`,
// beside the kernels of the rest. The cores compute as those of runtime cpu do (models/dnn/host_layers.hpp),
// products of quantised weights in int8, and read no faster than the profile's memory.cores.
#pragma once

#include <cstdint>
#include <vector>

#include "models/dnn/roofline.hpp"
#include "models/llm/offload.hpp"
#include "models/process/generation_spec.hpp"
#include "scenarios/run/process_work.hpp"

namespace jostle::scenarios {

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
[[nodiscard]] DividedStep divided(const WholeStep& step, const ProcessEntry& entry,
                                  const WorkContext& context);

}  // namespace jostle::scenarios
