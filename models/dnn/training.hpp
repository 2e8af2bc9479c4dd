// The kernels of a training step: forward, loss, backward and update, operator by operator as in a framework.
// The result has the same form as fused layers of inference, so the same code counts and times it
// (roofline.hpp).
#pragma once

#include <span>
#include <vector>

#include "models/dnn/fusion.hpp"
#include "models/dnn/precision.hpp"

namespace jostle::dnn {

// `forward` is fuse(network, Lowering::framework). Every parameter is learned, from one batch at a time.
//   forward   batch norm needs the mean of its input before it can scale it: it reads the input twice, and
//             counts its batches with a kernel of its own.
//   loss      for each output, one kernel forward and one backward, whatever the loss is.
//   backward  for every product one kernel with respect to its data and one to its weights, each with the
//             FLOPs of the forward (of two tensors: one for each); for a layer that only reads the network's
//             input, none with respect to the data. Batch norm: sums of gradient times input, then the
//             gradient of its input, so both are read twice (Jung et al., MLSys 2019, count the same). A
//             bias: a sum over its gradient. A tensor with several readers: a sum of their gradients. A sum:
//             nothing, the gradient is passed on.
//   update    SGD with momentum, fused into one kernel: weights, gradient and momentum are read, weights and
//             momentum written, 5 numbers of 4 bytes for each parameter.
// Weights are fp32. In fp16, as with automatic mixed precision: weights are cast to fp16 for the forward
// pass, their gradients are cast back, and all are unscaled together before the update (the loss is scaled).
// Layer norm, softmax and loss stay in fp32; the casts of tensors around them do not count. In the result,
// layers after the forward pass have empty `inputs` and `last` is not set. Throws std::invalid_argument for
// int8, which cannot be trained, and for a network without parameters.
[[nodiscard]] std::vector<FusedLayer> training_step(std::span<const FusedLayer> forward, Precision precision);

}  // namespace jostle::dnn
