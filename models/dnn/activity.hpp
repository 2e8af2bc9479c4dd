// The activity of measured kernels on the chip. Profilers report grids and durations of kernels, but not
// their activity.
#pragma once

#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

// SM activity and occupancy follow from the grids (gpu::fill_residency). Tensor clocks, issued instructions
// and bytes are those that the cost model computes for the same network (`modelled`, same batch and GPU),
// distributed over `measured`: tensor clocks over the time bound by arithmetic, the others evenly over the
// whole time. Tensor clocks and instructions are limited to the time in which SMs are active, so a small part
// of them may be lost.
void spread_activity(const gpu::KernelSequence& modelled, const gpu::Spec& gpu,
                     gpu::KernelSequence& measured);

}  // namespace jostle::dnn
