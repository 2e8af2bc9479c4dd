// Measured turns of synthetic processes on a shared GPU. A turn is what one process does between two context
// switches.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/readers/csv.hpp"

namespace jostle::calibration {

// Times on the GPU's clock, from the first timestamp of a kernel to the last. A preempted kernel ends in its
// owner's next turn, so a turn may overlap the following turns.
struct Turn {
  std::uint32_t process = 0;
  double start_us = 0, end_us = 0;
  int kernels = 0;
  [[nodiscard]] double length_us() const { return end_us - start_us; }
};

// By configuration, in order of time. Reads sharing_intervals.csv or sparse_launch_intervals.csv. Throws
// CsvError.
[[nodiscard]] std::map<std::string, std::vector<Turn>> turns_of(const CsvTable& intervals);

// A process of a configuration in sharing_configs.csv: batches of equal kernels.
struct SharingProcess {
  double kernel_us = 0;  // as requested
  std::uint32_t blocks = 0, threads = 0;
  bool graph = false;
};
struct SharingRun {
  std::string config;
  std::vector<SharingProcess> processes;
  std::vector<Turn> turns;
};
// The configurations that have turns, in the order of `configs`.
[[nodiscard]] std::vector<SharingRun> sharing_runs(const CsvTable& configs, const CsvTable& intervals);

// What is encoded in the name of a configuration of sparse_launch_intervals.csv: "d2 pace15 P4 block" or "d2
// pace15 with dense d20".
struct SparseRun {
  std::string config;
  int processes = 0;
  double kernel_us = 0, pace_us = 0;  // as requested
  bool beside_dense = false;          // the second process launches kernels of 20 us without a pause
  bool blocking = false;
  std::vector<Turn> turns;
};
// Throws CsvError for a name of another form.
[[nodiscard]] std::vector<SparseRun> sparse_runs(const CsvTable& intervals);

}  // namespace jostle::calibration
