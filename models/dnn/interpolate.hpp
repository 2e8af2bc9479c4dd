// Computes the kernels of a batch size that was not measured from batch sizes that were.
//
// Model: the sum of kernel times is an affine function of the batch size between known points. Leave-one-out
// check: the graph times of batches 2 and 8 in evidence/h200/solo.csv (nine network-precision pairs) are 2.6
// % off on average, 7 % at most; a power law (log-log) is 5.6 % off, an affine function of log batch 11.7 %.
// A known point is a measured table or, if there is none, a solo time as CUDA graph minus its launch gaps.
// Beyond the known points, and from a single one, sums follow the law of batches (batch_law.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "models/dnn/batch_law.hpp"
#include "models/dnn/kernel_tables.hpp"

namespace jostle::dnn {

// The time of a lone batch beyond its kernels is spent in gaps between them, each at most this long. The gaps
// in the shipped tables are at most 0.38 us.
inline constexpr double widest_gap_us = 0.5;

// The kernels of one batch of `batch` images (batch >= 1; network.batches not empty).
//  - measured: the table unchanged, grade measured (interpolated, if its times follow from a sibling's),
//    lone_gap = solo graph time - sum of kernels, at least 0 and at most 0.5 us for each kernel. If a graph
//    takes longer than that, it runs other kernels than were traced, and these are stretched to its time;
//  - between known points: affine; beyond them: by the law, from the last of them on, but never decreasing
//    with the batch.
// Single kernels are interpolated position by position if the two tables around have the same operators in
// the same positions. Otherwise those of the nearer table (by ratio; the smaller at a tie) follow the law.
// Finally all kernels are scaled to match the sum. `replayed`: as a CUDA graph. Times of graphs that run
// other kernels say nothing about the kernels that are launched one by one.
[[nodiscard]] gpu::KernelSequence sequence_at(const MeasuredNetwork& network, std::int64_t batch,
                                              const BatchLaw& law, bool replayed = true);

// The sum of all kernels of a batch, in picoseconds.
using SumPs = std::function<double(std::int64_t batch)>;
// The sum of the kernels of a network that has measured rates as a CUDA graph, but no table: `computed`,
// corrected by the ratio of the measured times (network.solo_graph, not empty) to the computed ones.
[[nodiscard]] sim::Duration rated_total(const MeasuredNetwork& network, std::int64_t batch,
                                        const SumPs& computed);

// The host's time for a batch that it launches kernel by kernel. It is taken from the lone run with the batch
// nearest to `batch`, since a launch takes as long at every batch. Absent if there is no such run, or if the
// host may have waited for the GPU in it: it took less than 1.2 times `gpu`, the GPU's time for `batch`.
[[nodiscard]] std::optional<sim::Duration> host_time(const MeasuredNetwork& network, std::int64_t batch,
                                                     sim::Duration gpu);

// The table nearest to a batch whose operators were counted; null if there is none.
[[nodiscard]] const MeasuredBatch* counted_near(const MeasuredNetwork& network, std::int64_t batch);

// The octaves from the known batches of a network to one beyond them; 0 between them.
[[nodiscard]] double octaves_beyond(const MeasuredNetwork& network, std::int64_t batch);

}  // namespace jostle::dnn
