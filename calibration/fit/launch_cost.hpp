// What launches cost the host and the GPU, as measured runs show it.
//
// Hosts are shared with others: what disturbs a run makes it slower, so of runs that should agree the fastest
// counts.
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

// solo.csv: a call that launches a graph, and what is left of a batch's time beside it and the wait.
[[nodiscard]] LaunchEstimates graph_launches(const CsvTable& solo);

// A network run kernel by kernel by a host that nothing holds up.
struct HostTime {
  double kernels = 0;  // of a batch
  double us = 0;       // the host's time of a batch
};
// solo.csv: the fastest run of each network and precision, with the kernels that `kernels_csv` counts.
[[nodiscard]] std::vector<HostTime> eager_host_times(const CsvTable& solo, const CsvTable& kernels_csv);

// solo.csv: GPU time per kernel of runs that the GPU bounds, beyond the kernels of `kernels_csv`.
[[nodiscard]] std::optional<Estimate> eager_gpu_per_launch(const CsvTable& solo, const CsvTable& kernels_csv);

// sparse_launch_intervals.csv: a host that launches one kernel every so often. The length of a turn grows
// with its kernels; launches come so often as the pace and the launch allow, where the GPU keeps up.
[[nodiscard]] LaunchEstimates paced_launches(const std::vector<SparseRun>& sparse, double slice_us);

}  // namespace jostle::calibration
