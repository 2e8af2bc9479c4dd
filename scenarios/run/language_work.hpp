// From an entry of a scenario with a language model to the kernels of its steps, and to the memory that it
// holds.
#pragma once

#include <string>

#include "models/memory/footprint.hpp"
#include "models/process/spec.hpp"
#include "scenarios/run/process_work.hpp"

namespace jostle::scenarios {

// Sets what it generates; spec.runtime must be set. Throws RunError for what cannot be simulated.
void set_generation(process::Spec& spec, const ProcessEntry& entry, const WorkContext& context);

// Bytes that it holds: weights (engine), activations of its longest step (arena), keys and values of as many
// sequences as it decodes together, as long as they can get (io).
[[nodiscard]] memory::Footprint language_footprint(const ProcessEntry& entry);
// For people, of a process that is so many bytes too large: precisions, or a length of sequences, that would
// fit.
[[nodiscard]] std::string what_would_fit(const ProcessEntry& entry, double missing_bytes);

}  // namespace jostle::scenarios
