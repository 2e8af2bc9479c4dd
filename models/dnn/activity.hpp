// The activity of measured kernels on the chip. Profilers report grids and durations of kernels, but not
// their activity.
#pragma once

#include "models/dnn/roofline.hpp"
#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

// SM activity and occupancy follow from the grids (gpu::fill_residency). Tensor clocks, issued instructions
// and bytes are those that the cost model computes for the same network (`modelled`, same batch and GPU),
// distributed over `measured`: tensor clocks over the time bound by arithmetic, instructions evenly over the
// whole time, bytes of products over the time bound by arithmetic and those of other layers over the time
// bound by memory. Tensor clocks and instructions are limited to the time in which SMs are active, so a small
// part of them may be lost.
void spread_activity(const KernelsOfLayers& modelled, const gpu::Spec& gpu, gpu::KernelSequence& measured);

}  // namespace jostle::dnn
