// Kernel times without measurements, computed from the layers and the peak rates of the hardware.
//
// A kernel takes max(arithmetic of the busiest SM, bytes / bandwidth) + its start. Products are divided into
// tiles (tiling.hpp); all other kernels are bound by their bytes. Part of a kernel's input is still in L2,
// which delivers at most gpu.memory_bytes_per_clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/dnn/arithmetic.hpp"
#include "models/dnn/fusion.hpp"
#include "models/dnn/precision.hpp"
#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

// Returns one kernel for each layer, in the precision that the GPU runs it in. If `lowering` is optimised,
// there are also the kernels that reformat the network's inputs and outputs, and those between layers that
// store different precisions. Times are at the GPU's maximum clocks, with grade datasheet. Throws
// std::invalid_argument for a batch below 1 or a GPU whose SM count, clock, fp32 rate or bandwidth is not
// positive.
[[nodiscard]] gpu::KernelSequence roofline(std::span<const FusedLayer> layers, std::int64_t batch,
                                           Precision precision, Lowering lowering, const gpu::Spec& gpu);

// The same, with the layer that each kernel belongs to. A reformat belongs to the layer that reads its result
// or, for an output of the network, to the layer that writes it.
struct KernelsOfLayers {
  gpu::KernelSequence sequence;
  std::vector<std::size_t> layer;
  std::vector<bool> product;  // true: a convolution or a matrix product
};
[[nodiscard]] KernelsOfLayers roofline_by_layer(std::span<const FusedLayer> layers, std::int64_t batch,
                                                Precision precision, Lowering lowering, const gpu::Spec& gpu);

// The kernel of one layer by itself.
[[nodiscard]] gpu::Kernel roofline_kernel(const FusedLayer& layer, std::int64_t batch, Precision precision,
                                          const gpu::Spec& gpu);

// One kernel that converts between fp32, in which callers hold their images and results, and the format that
// `precision` stores; `elements` per image. It serves the inputs and outputs of an engine beside the GPU.
[[nodiscard]] gpu::KernelSequence reformat(std::int64_t elements, std::int64_t batch, Precision precision,
                                           const gpu::Spec& gpu);

}  // namespace jostle::dnn
