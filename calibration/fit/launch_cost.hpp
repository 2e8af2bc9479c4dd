// Estimates the cost of launches for host and GPU from measured runs.
//
// The host of the measurements is shared, and disturbances only make a run slower. Therefore the fastest of
// equal runs is used.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/fit/robust.hpp"
#include "calibration/fit/time_slicing.hpp"
#include "input/csv.hpp"
#include "models/dnn/kernel_tables.hpp"

namespace jostle::calibration {

// Costs of launches, all in microseconds.
struct LaunchEstimates {
  std::optional<Estimate> per_launch, per_batch, gpu_per_launch;
};

// Estimates the cost of launching a graph from solo.csv: the time of the call, and the rest of a batch's time
// besides this call and waiting.
[[nodiscard]] LaunchEstimates graph_launches(const input::CsvTable& solo);

// The host's time for a network run kernel by kernel, when the GPU does not delay the host.
struct HostTime {
  std::string model;
  dnn::Precision precision = dnn::Precision::fp16;
  double kernels = 0;   // number of kernels of a batch
  double us = 0;        // the host's time for a batch
  double usual_us = 0;  // the median over all runs
  double sd = 0;        // relative: possible distance of the fastest run from an undisturbed one
};
// Host times from solo.csv: the fastest run of each network and precision, and the median of all, with the
// number of kernels from `kernels_csv`. The standard deviation is half of the median difference between equal
// runs, which is right for exponentially distributed disturbances.
[[nodiscard]] std::vector<HostTime> eager_host_times(const input::CsvTable& solo,
                                                     const input::CsvTable& kernels_csv);

// GPU time per kernel of GPU-bound runs in solo.csv, beyond the kernel times of `kernels_csv`, in
// microseconds.
[[nodiscard]] std::optional<Estimate> eager_gpu_per_launch(const input::CsvTable& solo,
                                                           const input::CsvTable& kernels_csv);

// Estimates from sparse_launch_intervals.csv, where a host launches one kernel at a fixed pace. The length of
// a turn grows with its number of kernels. If the GPU keeps up, launches are as frequent as the pace and the
// launch cost permit.
[[nodiscard]] LaunchEstimates paced_launches(const std::vector<SparseRun>& sparse, double slice_us);

}  // namespace jostle::calibration
