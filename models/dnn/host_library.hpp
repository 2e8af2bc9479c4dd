// How a library computes networks on CPU cores: what differs between libraries whatever the cores.
#pragma once

namespace jostle::dnn {

struct HostLibrary {
  // How often the operands of a product pass through a core: read, and packed for its inner loop. Depthwise
  // and pointwise layers read and write their tensors once.
  double product_passes = 1;
  // Rate of depthwise convolutions, relative to that of products: a weight is used for one channel only, so a
  // load comes with every multiply-add.
  double depthwise = 1;
  // Winograd's F(4 x 4, 3 x 3) for windows of 3 x 3 at stride 1: a quarter of the multiplications, four times
  // the bytes of weights. How often the transformed tiles pass through a core; 0: the library does not have
  // it.
  double winograd_passes = 0;
  // Between layers in int8, tensors are in the narrowest floating-point format that the cores compute in.
  bool int8_between_floats = false;
};

}  // namespace jostle::dnn
