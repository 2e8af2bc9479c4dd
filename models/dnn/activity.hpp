// What measured kernels do on the chip: profilers' tables tell their grids and durations, not their activity.
#pragma once

#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

// SM activity and occupancy by the grids (gpu::fill_residency); tensor clocks, issued instructions and bytes
// as the cost model counts them for the same network (`modelled`, of the same batch and GPU), spread over
// `measured`: tensor clocks over the time bound by arithmetic, the others evenly over all of it. Tensor
// clocks and instructions stay within the time in which SMs are active, so a little of them may be lost.
void spread_activity(const gpu::KernelSequence& modelled, const gpu::Spec& gpu,
                     gpu::KernelSequence& measured);

}  // namespace jostle::dnn
