// The units that a layer runs on, its precision and its layout, according to what the device supports.
#pragma once

#include <cstdint>

#include "models/dnn/fusion.hpp"
#include "models/dnn/precision.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

// The units that a precision runs on. A GPU without a path for tf32, fp16 or int8 runs fp32 instead: that is
// why int8 engines are slow on a Jetson Nano. Numbers of fp8 and nvfp4 are unpacked to fp16 there.
struct ArithmeticPath {
  Precision precision = Precision::fp32;  // precision of arithmetic and storage
  bool tensor_cores = false;
  double ops_per_clock = 0;  // per SM; a multiply-add counts as two
};
[[nodiscard]] ArithmeticPath path_for(const gpu::Spec& gpu, Precision precision);

// Share of the tensor cores' peak that the loop over a tile reaches in a precision.
[[nodiscard]] double tensor_efficiency(const gpu::Spec& gpu, Precision precision);

// The same of the CUDA cores, and their speed-up of 3 x 3 convolutions by Winograd's algorithm.
[[nodiscard]] double cuda_efficiency(const gpu::Spec& gpu, Precision precision);
[[nodiscard]] double winograd_gain(const gpu::Spec& gpu, Precision precision);

// The path of one layer, in the layer's own precision if it has one. Otherwise int8 is used for convolutions,
// linear layers and layers that only move or compare numbers; normalisations, softmax, embeddings and
// products of two activations stay in fp16 (TensorRT developer guide, "Layers and precision"). fp8 is used as
// int8 is, but for convolutions in groups, and nvfp4 for linear layers alone.
[[nodiscard]] ArithmeticPath path_for(const gpu::Spec& gpu, const FusedLayer& layer, Precision precision);

// Number of channels as tensor cores read and store them, in groups of 32 (int8, nvfp4), 16 (fp8), 8 (fp16)
// or 4 (tf32). Images have few channels and special kernels; they are padded to four. CUDA cores need no
// padding.
[[nodiscard]] std::int64_t padded_channels(std::int64_t channels, const ArithmeticPath& path);

}  // namespace jostle::dnn
