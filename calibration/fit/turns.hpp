// Measured turns of synthetic processes on a shared GPU: what one process did between two changes of owner.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/readers/csv.hpp"

namespace jostle::calibration {

// Times on the GPU's clock, from the first stamp of a kernel to the last. A kernel that was preempted ends in
// its owner's next turn, so that a turn may reach over the next ones.
struct Turn {
  std::uint32_t process = 0;
  double start_us = 0, end_us = 0;
  int kernels = 0;
  [[nodiscard]] double length_us() const { return end_us - start_us; }
};

// By configuration, in order of time: sharing_intervals.csv, sparse_launch_intervals.csv. Throws CsvError.
[[nodiscard]] std::map<std::string, std::vector<Turn>> turns_of(const CsvTable& intervals);

// A process of a configuration of sharing_configs.csv: batches of equal kernels.
struct SharingProcess {
  double kernel_us = 0;  // asked for
  std::uint32_t blocks = 0, threads = 0;
  bool graph = false;
};
struct SharingRun {
  std::string config;
  std::vector<SharingProcess> processes;
  std::vector<Turn> turns;
};
// Configurations with turns, in the order of `configs`.
[[nodiscard]] std::vector<SharingRun> sharing_runs(const CsvTable& configs, const CsvTable& intervals);

// What the name of a configuration of sparse_launch_intervals.csv tells: "d2 pace15 P4 block" or "d2 pace15
// with dense d20".
struct SparseRun {
  std::string config;
  int processes = 0;
  double kernel_us = 0, pace_us = 0;  // asked for
  bool beside_dense = false;          // the second process launches kernels of 20 us without a pause
  bool blocking = false;
  std::vector<Turn> turns;
};
// Throws CsvError for a name that tells no such thing.
[[nodiscard]] std::vector<SparseRun> sparse_runs(const CsvTable& intervals);

}  // namespace jostle::calibration
