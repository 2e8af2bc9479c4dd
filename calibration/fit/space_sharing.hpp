// What runs of equal networks on the streams of one process, and as MPS clients, tell of the law of sharing
// in space (models/gpu/dispatcher.hpp).
//
// Times of kernels alone are known, so the rate of a stream among others over that of one alone depends only
// on the law: part of a kernel's duration passes while it waits, kernels beside others fetch their code anew,
// and they keep the SMs' pipes busy for a share of the time. A lone MPS client takes longer than a lone
// process by the same time for each kernel.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibration/fit/robust.hpp"
#include "calibration/readers/csv.hpp"
#include "models/dnn/precision.hpp"
#include "models/gpu/kernel.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::calibration {

// The kernels of a network as they were measured alone; none: they were not.
struct NetworkOfRow {
  std::string model;
  dnn::Precision precision = dnn::Precision::fp32;
  std::int64_t batch = 1;
};
using MeasuredKernels = std::function<std::optional<gpu::KernelSequence>(const NetworkOfRow&)>;

// One network on equal streams, several runs of it together.
struct StreamsRun {
  gpu::KernelSequence kernels;
  int streams = 2;
  double relative = 1;  // rate of a stream over that of one alone in the same session; median
};
// Reads streams_networks.csv: runs of two streams or more, all of one network and priority. Throws CsvError.
[[nodiscard]] std::vector<StreamsRun> streams_runs(const CsvTable& table, const MeasuredKernels& kernels);

// The same as predicted by the law of `gpu`.
[[nodiscard]] double predicted_relative(const gpu::Spec& gpu, const StreamsRun& run);

// In microseconds: what each kernel takes longer under MPS. Reads mps.csv: clients that ran alone. Throws
// CsvError.
[[nodiscard]] std::optional<Estimate> mps_kernel(const CsvTable& table, const MeasuredKernels& kernels);

}  // namespace jostle::calibration
