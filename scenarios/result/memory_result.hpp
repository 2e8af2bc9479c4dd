// What a result says of memory: what each process and the board hold, and who did not fit.
#pragma once

#include "models/memory/admission.hpp"
#include "models/memory/spec.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Fills in the memory figures of `result`, whose processes are those of `occupancy` in the same order, and
// the status of those that do not fit.
void add_memory(Result& result, const memory::Spec& spec, const memory::Occupancy& occupancy);

}  // namespace jostle::scenarios
