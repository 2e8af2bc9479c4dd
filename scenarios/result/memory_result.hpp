// Memory metrics of a result: what each process and the board hold, and which processes did not fit.
#pragma once

#include "models/memory/admission.hpp"
#include "models/memory/spec.hpp"
#include "scenarios/result/result.hpp"

namespace jostle::scenarios {

// Sets the memory metrics of `result` (its processes are those of `occupancy` in the same order), and the
// status of processes that do not fit.
void add_memory(Result& result, const memory::Spec& spec, const memory::Occupancy& occupancy);

}  // namespace jostle::scenarios
