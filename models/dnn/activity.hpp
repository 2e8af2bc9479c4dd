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

// The pipes that a warp of a framework's kernel keeps busy. The instructions of a network are spread evenly
// over its kernels, so they do not tell it. Four warps of a product on CUDA cores take 1.6 times as long with
// four more on their SM, whatever their rate of operations; a convolution of few blocks takes three times as
// long where they pile up on few SMs. A warp of a product on CUDA cores keeps 0.17 of an SM's pipes busy
// (fitted to 14 kernels of fp32 networks on 8 to 132 SMs of an H200, within 13 % in the mean,
// evidence/h200-pairs/shares.csv: blocks of two warps 0.11 to 0.17, of four 0.2), one of a kernel that moves
// bytes 0.01 (fitted to runs of evidence/h200-pairs, h200-random and h200-space; 0.0175 in shares.csv, a part
// of which is the law of the memory). Tensor clocks tell those of a product on tensor cores.
void note_warp_pipes(gpu::Kernel& kernel);

}  // namespace jostle::dnn
