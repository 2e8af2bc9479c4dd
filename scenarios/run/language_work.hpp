// The kernels of the steps of a scenario entry with a language model, and the memory that it holds.
#pragma once

#include <string>

#include "models/memory/footprint.hpp"
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

}  // namespace jostle::scenarios
