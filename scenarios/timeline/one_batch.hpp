// The kernels of a batch by name, on the timeline: how long each takes alone, at the clocks of the start.
#pragma once

#include <span>

#include "models/process/spec.hpp"
#include "sim/trace.hpp"

namespace jostle::scenarios {

// A track for each different batch of `processes`, "kernels of NAME, alone", whose slices begin at `at`, back
// to back. None: of language models, whose steps differ, and of batches whose kernels have no names.
void draw_batches(sim::TraceSink& trace, std::span<const process::Spec> processes, sim::Time at);

}  // namespace jostle::scenarios
