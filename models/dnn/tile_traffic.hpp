// DRAM traffic of a product's tiles beyond one pass over its tensors: operands that tiles read again because
// L2 no longer holds them, and the tensors that Winograd's algorithm writes and reads in between.
#pragma once

#include "models/dnn/tiling.hpp"

namespace jostle::dnn {

// DRAM bytes of a tensor. L2 writes back what it evicts, so a tensor that stays in L2 until it is read and
// overwritten never reaches DRAM. The larger the tensor, the smaller the part that stays.
[[nodiscard]] double beyond_l2(double bytes, double l2_bytes);

// Bytes of the two operands of all products together: `rows` that a row of tiles shares, such as the input of
// a convolution, and `columns` that a column of tiles shares, such as its weights.
struct Operands {
  double rows = 0, columns = 0;
};

// The DRAM bytes that tiles read again if blocks start along the rows, as the grids of kernels of CUDA cores
// do: all rows of tiles for some columns, then for the next. Blocks that are resident together share what
// they load. The next ones find what L2 still holds of it. `products` is the number of equal products that
// the operands belong to.
[[nodiscard]] double read_again(const Tiling& tiling, Operands operands, double products, double l2_bytes);

// Winograd's F(2 x 2, 3 x 3) computes four outputs from 16 products of transformed inputs and weights, so
// that input and output take four times the room and weights 16/9 (Lavin and Gray, CVPR 2016). cuDNN's
// WINOGRAD_NONFUSED writes both tensors and reads them again. TensorRT is taken to do so, which was chosen on
// a TX2's times over memory clocks (docs/validation.md). The arguments are bytes of the layer's tensors; the
// result excludes one pass over input, weights and output.
[[nodiscard]] double winograd_traffic(Tiling tiling, double input, double weights, double output,
                                      double l2_bytes);

}  // namespace jostle::dnn
