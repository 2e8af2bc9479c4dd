// Determines the parameters of the model of space sharing (models/gpu/dispatcher.hpp) from runs of equal
// networks on the streams of one process, and as MPS clients.
//
// Times of kernels alone are known, so the ratio of a stream's rate among others to its rate alone depends
// only on the model: part of a kernel's duration passes while it waits, kernels beside others fetch their
// code anew, and they keep the SMs' pipes busy for a share of the time. A lone MPS client takes longer than a
// lone process by the same time for each kernel.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/fit/robust.hpp"
#include "input/csv.hpp"
#include "models/dnn/precision.hpp"
#include "models/gpu/dispatcher.hpp"
#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"
#include "sim/time.hpp"

namespace jostle::calibration {

// Streams that are closed loops of kernels, alone on a GPU: their throughput under the model of sharing in
// space (models/gpu/dispatcher.hpp), without hosts, turns and changing clocks.
struct LoopedStream {
  std::vector<gpu::space::Work> kernels;  // the kernels of one loop, at least one
  // The gap before each kernel: from the end of the previous kernel to when this one joins the queue. Same
  // length.
  std::vector<sim::Duration> gaps;
};

// A stream that replays `kernels` as a graph, with its launch gaps.
[[nodiscard]] LoopedStream looped(const gpu::Spec& gpu, const gpu::KernelSequence& kernels);

// Loops per second of each stream, over `counted` loops (at least 1) after the first `skipped` ones (at least
// 1). Streams continue until all have been counted.
[[nodiscard]] std::vector<double> loops_per_s(const gpu::Spec& gpu, std::span<const LoopedStream> streams,
                                              int skipped, int counted);

// A network whose kernels were measured alone. MeasuredKernels returns these kernels; none: they were not
// measured.
struct NetworkOfRow {
  std::string model;
  dnn::Precision precision = dnn::Precision::fp32;
  std::int64_t batch = 1;
};
using MeasuredKernels = std::function<std::optional<gpu::KernelSequence>(const NetworkOfRow&)>;

// A run of one network on equal streams, combined from several equal runs.
struct StreamsRun {
  gpu::KernelSequence kernels;
  int streams = 2;
  double relative = 1;  // median ratio of a stream's rate to its rate alone in the same session
};
// Reads streams_networks.csv: runs of two streams or more, all of one network and priority. Throws CsvError.
[[nodiscard]] std::vector<StreamsRun> streams_runs(const input::CsvTable& table,
                                                   const MeasuredKernels& kernels);

// The value of `relative` that the model of `gpu` predicts.
[[nodiscard]] double predicted_relative(const gpu::Spec& gpu, const StreamsRun& run);

// The additional time of each kernel under MPS, in microseconds, from the clients in mps.csv that ran alone.
// Throws CsvError.
[[nodiscard]] std::optional<Estimate> mps_kernel(const input::CsvTable& table,
                                                 const MeasuredKernels& kernels);

// The estimates below are of streams_synthetic*.csv, from loops of one kernel that run alone.

// The additional time of a block that waited for room, in microseconds: of kernels that spin for several
// waves, what each further wave takes beyond a wave. Throws CsvError.
[[nodiscard]] std::optional<Estimate> block_turnover(const input::CsvTable& table, const gpu::Spec& gpu);

// The bandwidth of a warp that reads DRAM while it is alone, in GB/s: of kernels that draw less than half of
// the GPU's bandwidth, by the law of slowdown.hpp. Throws CsvError.
[[nodiscard]] std::optional<Estimate> warp_bandwidth(const input::CsvTable& table, const gpu::Spec& gpu);

// The additional time of each kernel under MPS, in microseconds: of kernels that were measured as graphs both
// in `clients` and in `streams`. Throws CsvError.
[[nodiscard]] std::optional<Estimate> mps_kernel(const input::CsvTable& clients,
                                                 const input::CsvTable& streams);

}  // namespace jostle::calibration
