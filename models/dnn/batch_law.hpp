// The times of measured kernels at a batch without a table: kernel by kernel, from the table of another
// batch.
//
//  - Kernels of one or two blocks do not depend on the batch: they prepare weights and normalisations.
//  - Products (convolutions, matrix products) take the cost model's ratio of their layer, or, where the
//    framework runs more or fewer of them than there are layers, that of all products together. Without
//    layers: their start of up to 4.4 us, and the rest in proportion to the batch.
//  - All others move bytes. Beyond kernel_floor() they take time in proportion to 0.3 waves, in which the
//    first blocks wait for their bytes, plus their waves: while a GPU is not full, more blocks take little
//    longer.
// The two coefficients are fitted: to the tables of fourteen networks on an H100 in fp16 and tf32, of batches
// that differ by up to 16 times. From batch 4, sums of kernels are then 7 % off at batch 1 and 11 % at batch
// 16 in the mean (25 configurations); sums without layers 8 and 9 %. Frameworks choose other kernels at other
// batches, which a table of one batch cannot show: those sums are off by up to 40 %.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/dnn/kernel_tables.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::dnn {

class BatchLaw {
 public:
  // The computed times of the network's products at a batch, in order.
  using Products = std::function<std::vector<sim::Duration>(std::int64_t batch)>;

  // Keeps a reference to `gpu`. No `products`: the network has no layers.
  explicit BatchLaw(const gpu::Spec& gpu, Products products = {})
      : gpu_(gpu), products_(std::move(products)) {}

  // The kernels of `table` at another batch. Grids that cover the images grow with them,
  // those of persistent kernels until they fill the GPU.
  [[nodiscard]] std::vector<gpu::Kernel> at_batch(const MeasuredBatch& table, std::int64_t batch) const;

 private:
  [[nodiscard]] std::vector<double> ratios_of_products(const MeasuredBatch& table, std::int64_t batch) const;

  const gpu::Spec& gpu_;
  Products products_;
};

}  // namespace jostle::dnn
