// Parameters of a library that computes networks on CPU cores; they do not depend on the cores.
#pragma once

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
};

}  // namespace jostle::dnn
