// The kernels of a batch size that was not measured, from those that were.
//
// Law: the sum of the kernels is affine in the batch between known points. Left out one at a time, the graph
// times of batches 2 and 8 in evidence/h200/solo.csv (nine network-precision pairs) come out 2.6 % off on
// average, 7 % at most; a power law (log-log) is 5.6 % off, affine in log batch 11.7 %.
// A known point is a measured table or, better than none, a solo time as CUDA graph less its launch gaps.
#pragma once

#include <cstdint>

#include "models/dnn/kernel_tables.hpp"

namespace jostle::dnn {

// The kernels of one batch of `batch` images (batch >= 1; network.batches not empty).
//  - measured: the table as it is, grade measured, lone_gap = solo graph time - sum of kernels (at least 0);
//  - between known points: affine; beyond them: along the last two, but never below the kernels' fixed parts,
//    nor falling with the batch; with a single point everything but the fixed parts scales with the batch.
// Kernels themselves go position by position where the two tables around agree in what each is, otherwise the
// nearer table (by ratio; the smaller at a tie) is stretched; then all are scaled to meet the sum.
[[nodiscard]] gpu::KernelSequence sequence_at(const MeasuredNetwork& network, std::int64_t batch);

}  // namespace jostle::dnn
