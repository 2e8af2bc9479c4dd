// What a step of training launches: forward, loss, backward and update, operator by operator as a framework
// does it. The pieces are like those of inference, so what counts and times those (roofline.hpp) serves them.
#pragma once

#include <span>
#include <vector>

#include "models/dnn/fusion.hpp"
#include "models/dnn/precision.hpp"

namespace jostle::dnn {

// `forward` is fuse(network, Lowering::framework). Every parameter is learned, from a batch at a time.
//   forward   batch norm needs the mean of its input before it can scale it: it reads the input twice, and
//             counts its batches with a kernel of its own.
//   loss      of each output, one piece forward and one backward, whatever it is.
//   backward  of every product one with respect to its data and one to its weights, each of the FLOPs of the
//             forward (of two tensors: one for each); of what reads the network's input alone, none to the
//             data. Batch norm: sums of gradient times input, then the gradient of its input, so both are
//             read twice (Jung et al., MLSys 2019, count the same). A bias: a sum over its gradient. A tensor
//             with several readers: a sum of their gradients. Sums themselves: nothing, the gradient is
//             handed on.
//   update    SGD with momentum, fused into one kernel: weights, gradient and momentum are read, weights and
//             momentum written, 5 numbers of 4 bytes a parameter.
// Weights are fp32. In fp16 as by automatic mixed precision: weights are cast to fp16 for the forward, their
// gradients cast back, and unscaled together before the update (the loss is scaled); layer norm, softmax and
// loss stay in fp32, the casts of tensors around them are not counted.
// Of pieces behind the forward, `inputs` are empty and `last` is not set. Throws std::invalid_argument for
// int8, which does not train, and for a network that has nothing to learn.
[[nodiscard]] std::vector<FusedLayer> training_step(std::span<const FusedLayer> forward, Precision precision);

}  // namespace jostle::dnn
