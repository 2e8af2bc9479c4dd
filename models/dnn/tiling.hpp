// The division of a matrix product into blocks, and the time that the SMs compute on them.
#pragma once

#include <cstdint>

#include "models/dnn/arithmetic.hpp"
#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

// `count` products of M x K by K x N. A convolution is an implicit product: M = positions x batch, N = output
// channels, K = input channels x window.
struct Product {
  std::int64_t rows = 1, columns = 1, depth = 1;  // M, N, K
  std::int64_t count = 1;
  double gain = 1;             // speed-up of the arithmetic by another algorithm (Winograd)
  bool plain = false;          // a product of matrices, not a convolution
  bool vector = false;         // its single row runs as dot products, without a padded tile
  double cuda_efficiency = 0;  // share of the CUDA cores' peak; 0: the profile's
};

// The fastest tiling. A block computes a tile of the output in slices of K that it loads into shared memory;
// its time is the maximum of its multiplications and its loads from L2. The SMs hold as many blocks as fit
// (occupancy), and each wave of blocks fills and drains the pipeline once. If there are too few tiles for the
// SMs, K is split over several blocks, whose partial sums go through memory.
struct Tiling {
  double seconds = 0;       // time of arithmetic
  double useful_ops = 0;    // operations on the pipes, including padding
  gpu::Kernel shape;        // blocks, threads, registers, shared memory
  std::int64_t splits = 1;  // parts that K is split into
  // Rows and columns of tiles: each row reads all of the second operand, each column all of the first.
  std::int64_t rows = 1, columns = 1;
  std::int64_t resident = 1;  // blocks that all SMs hold together
};
[[nodiscard]] Tiling best_tiling(const Product& product, const ArithmeticPath& path, const gpu::Spec& gpu);

}  // namespace jostle::dnn
