// Parameters of a library that computes networks on CPU cores; they do not depend on the cores.
#pragma once

#include "models/dnn/lowering.hpp"

namespace jostle::dnn {

struct HostLibrary {
  // Number of times that the operands of a product pass through a core: they are read, and packed for the
  // inner loop. Depthwise and pointwise layers read and write their tensors once.
  double product_passes = 1;
  // Rate of depthwise convolutions, relative to that of products: a weight is used for one channel only, so a
  // load comes with every multiply-add.
  double depthwise = 1;
  // Winograd's F(4 x 4, 3 x 3) for windows of 3 x 3 at stride 1 takes a quarter of the multiplications and
  // four times the bytes of weights. The value is the number of times that the transformed tiles pass through
  // a core; 0: the library does not have it.
  double winograd_passes = 0;
  // True if tensors between layers in int8 are in the narrowest floating-point format that the cores compute
  // in.
  bool int8_between_floats = false;
  Lowering lowering = Lowering::cores;
  // Clocks of a core for an element of an activation with an exponential (SiLU, GELU, sigmoid, tanh), of a
  // softmax and of a normalisation, in floating point, beside its bytes. A tensor that the caches do not hold
  // streams through the memory, which further threads do not speed up.
  double exponential = 0, softmax = 0, norm = 0;
  // In int8, clocks to convert an element between int8 and fp32, in which layers without a kernel in int8 are
  // computed. 0: the library has all in int8.
  double conversion = 0;
  // Clocks of one thread, which the others wait for: for an element that is copied to another place or order
  // or resized, for one of a concatenation, for one in a window that is averaged, and for one of a batch norm
  // that follows no product. 0: the threads share them.
  double copy = 0, concatenation = 0, pooling = 0, batch_norm = 0;
};

}  // namespace jostle::dnn
