// Kernel times without measurements: from the layers and the hardware's roofs.
//
// A convolution is an implicit matrix product M x N x K with M = positions x batch, N = output channels,
// K = input channels x window^2, cut into tiles of which every SM takes its share in turn. A kernel takes
// max(arithmetic of the busiest SM, bytes / bandwidth) + a fixed cost.
#pragma once

#include <cstdint>
#include <span>

#include "models/dnn/fusion.hpp"
#include "models/dnn/kernel.hpp"
#include "models/dnn/precision.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

// The units a precision runs on. A GPU without a path of its own for tf32, fp16 or int8 runs fp32 instead.
struct ArithmeticPath {
  Precision precision = Precision::fp32;  // what it is computed and stored in
  bool tensor_cores = false;
  double ops_per_clock = 0;  // per SM; a multiply-add is two
};
[[nodiscard]] ArithmeticPath path_for(const gpu::Spec& gpu, Precision precision);

// Engineering judgement, to be replaced by factors fitted per model and precision.
struct RooflineConstants {
  // Of what a tile reaches on CUDA cores: tensor cores outrun their shared memory. (ResNet-50 in tf32 on an
  // Orin Nano Super, published by zainmk/jetson-nano-benchmarks-lab: 3.66 ms; 3.6 with this, 3.2 without.)
  double tensor_efficiency = 0.75;
  double depthwise_efficiency =
      0.2;                    // of the fp32 peak: 0.15-0.25 in practice, no reuse for tiles to exploit
  double cached_share = 0.5;  // of the bytes of an input that may still be in L2 (below half of it)
};

// One kernel per layer, and where `lowering` is optimised one that reformats the input and one the output
// (TensorRT adds one to five). At the GPU's maximum clocks; grade datasheet. Throws std::invalid_argument for
// a batch below 1 or a GPU whose SM count, clock, fp32 rate or bandwidth is not positive.
[[nodiscard]] KernelSequence roofline(std::span<const FusedLayer> layers, std::int64_t batch,
                                      Precision precision, Lowering lowering, const gpu::Spec& gpu,
                                      const RooflineConstants& constants = {});

}  // namespace jostle::dnn
