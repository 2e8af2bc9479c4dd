// Which units a layer runs on, in which precision, and in which layout: what a device can do for a request.
#pragma once

#include <cstdint>

#include "models/dnn/fusion.hpp"
#include "models/dnn/precision.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

// The units a precision runs on. A GPU without a path of its own for tf32, fp16 or int8 runs fp32 instead:
// that is why int8 engines are slow on a Jetson Nano.
struct ArithmeticPath {
  Precision precision = Precision::fp32;  // what it is computed and stored in
  bool tensor_cores = false;
  double ops_per_clock = 0;  // per SM; a multiply-add is two
};
[[nodiscard]] ArithmeticPath path_for(const gpu::Spec& gpu, Precision precision);

// The same for a layer, in its own precision if it has one. Else int8 is for convolutions, linear layers and
// what only moves or compares numbers; normalisations, softmax, embeddings and products of two activations
// stay in fp16 (TensorRT developer guide, "Layers and precision").
[[nodiscard]] ArithmeticPath path_for(const gpu::Spec& gpu, const FusedLayer& layer, Precision precision);

// Channels as tensor cores take and store them, in groups of 32 (int8), 8 (fp16) or 4 (tf32); images, which
// have few, have kernels of their own and are padded to four. CUDA cores need no padding.
[[nodiscard]] std::int64_t padded_channels(std::int64_t channels, const ArithmeticPath& path);

}  // namespace jostle::dnn
