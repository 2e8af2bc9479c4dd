// The cost of launches for host and GPU, from measured runs.
//
// The host of the measurements is shared, and disturbances only make a run slower. So of runs that should be
// equal, the fastest counts.
#pragma once

#include <optional>
#include <vector>

#include "calibration/fit/robust.hpp"
#include "calibration/fit/turns.hpp"
#include "calibration/readers/csv.hpp"
#include "models/dnn/kernel_tables.hpp"

namespace jostle::calibration {

// All in microseconds.
struct LaunchEstimates {
  std::optional<Estimate> per_launch, per_batch, gpu_per_launch;
};

// From solo.csv: the call that launches a graph, and the rest of a batch's time besides this call and
// waiting.
[[nodiscard]] LaunchEstimates graph_launches(const CsvTable& solo);

// The host's time for a network run kernel by kernel, when the GPU does not delay the host.
struct HostTime {
  double kernels = 0;  // number of kernels of a batch
  double us = 0;       // the host's time for a batch
  double sd = 0;       // relative: how far the fastest run may be from an undisturbed one
};
// From solo.csv: the fastest run of each network and precision, with the number of kernels from
// `kernels_csv`. Half of the difference of equal runs (its median) is the standard deviation of the faster
// one, as it is where disturbances are exponential.
[[nodiscard]] std::vector<HostTime> eager_host_times(const CsvTable& solo, const CsvTable& kernels_csv);

// From solo.csv: GPU time per kernel of GPU-bound runs, beyond the kernel times of `kernels_csv`.
[[nodiscard]] std::optional<Estimate> eager_gpu_per_launch(const CsvTable& solo, const CsvTable& kernels_csv);

// From sparse_launch_intervals.csv: a host that launches one kernel at a fixed pace. The length of a turn
// grows with its number of kernels; launches are as frequent as the pace and the launch cost permit, where
// the GPU keeps up.
[[nodiscard]] LaunchEstimates paced_launches(const std::vector<SparseRun>& sparse, double slice_us);

}  // namespace jostle::calibration
