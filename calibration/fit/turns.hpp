// Measured turns of synthetic processes on a shared GPU. A turn is the work of one process between two
// context switches.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "input/csv.hpp"

namespace jostle::calibration {

// A turn, in times of the GPU's clock, from the first timestamp of a kernel to the last. A preempted kernel
// ends in its owner's next turn, so a turn may overlap the following turns.
struct Turn {
  std::uint32_t process = 0;
  double start_us = 0, end_us = 0;
  int kernels = 0;
  [[nodiscard]] double length_us() const { return end_us - start_us; }
};

// Reads the turns of each configuration, in order of time, from sharing_intervals.csv or
// sparse_launch_intervals.csv. Throws CsvError.
[[nodiscard]] std::map<std::string, std::vector<Turn>> turns_of(const input::CsvTable& intervals);

// A process of a configuration in sharing_configs.csv: batches of equal kernels.
struct SharingProcess {
  double kernel_us = 0;  // requested duration
  std::uint32_t blocks = 0, threads = 0;
  bool graph = false;
};
struct SharingRun {
  std::string config;
  std::vector<SharingProcess> processes;
  std::vector<Turn> turns;
};
// The configurations that have turns, in the order of `configs`.
[[nodiscard]] std::vector<SharingRun> sharing_runs(const input::CsvTable& configs,
                                                   const input::CsvTable& intervals);

// A run of sparse_launch_intervals.csv, whose settings are encoded in the name of its configuration: "d2
// pace15 P4 block" or "d2 pace15 with dense d20".
struct SparseRun {
  std::string config;
  int processes = 0;
  double kernel_us = 0, pace_us = 0;  // requested values
  bool beside_dense = false;          // true: the second process launches kernels of 20 us without a pause
  bool blocking = false;
  std::vector<Turn> turns;
};
// Reads all runs. Throws CsvError for a name of another form.
[[nodiscard]] std::vector<SparseRun> sparse_runs(const input::CsvTable& intervals);

}  // namespace jostle::calibration
