// How a matrix product is cut into blocks, and how long the SMs compute on them.
#pragma once

#include <cstdint>

#include "models/dnn/arithmetic.hpp"
#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

// `count` products of M x K by K x N. A convolution is an implicit one: M = positions x batch, N = output
// channels, K = input channels x window.
struct Product {
  std::int64_t rows = 1, columns = 1, depth = 1;  // M, N, K
  std::int64_t count = 1;
  double gain = 1;  // arithmetic saved by another algorithm (Winograd)
};

// The fastest cut. A block computes a tile of the output in slices of K that it loads into shared memory,
// and takes the longer of its multiplications and its loads from L2; the SMs hold as many blocks as fit
// (occupancy) and each wave of them fills and drains the pipeline once. Where tiles are too few for the SMs,
// K is split over blocks, whose partial sums go through memory.
struct Tiling {
  double seconds = 0;       // of arithmetic
  double useful_ops = 0;    // on the pipes, padding included
  gpu::Kernel shape;        // blocks, threads, registers, shared memory
  std::int64_t splits = 1;  // of K
};
[[nodiscard]] Tiling best_tiling(const Product& product, const ArithmeticPath& path, const gpu::Spec& gpu);

}  // namespace jostle::dnn
