// Estimates a GPU's time-slicing parameters from measured turns, without simulation.
//
// Observations and the parameters that they determine:
//   - a kernel that spins in each of P processes is interrupted for P - 1 slices and P context switches, and
//     runs for one slice in between (timeslices.csv);
//   - if every turn ends because the process is out of work, the gap before the next turn is the context
//     switch (sharing and sparse intervals);
//   - if no turn ends that way, turns start one slice and one switch at expiry apart, and the kernels of a
//     turn are shorter than the slice by the time to restart.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/fit/robust.hpp"
#include "input/csv.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::calibration {

// Measured turns of synthetic processes on a shared GPU. A turn is the work of one process between two
// context switches.

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

// Estimates in microseconds. `switch_at_expiry` is for a kernel of one block, which has hardly any state.
struct SpinnerEstimates {
  std::optional<Estimate> slice, slice_jitter, switch_at_expiry;
};
[[nodiscard]] SpinnerEstimates spinners(const input::CsvTable& timeslices);

// True if (nearly) all turns end because the process is out of work; or, for all_expire(), by expiry.
// sharing_intervals.csv alone does not determine the slice, so it must be given.
[[nodiscard]] bool all_out_of_work(std::span<const Turn> turns, double slice_us);
[[nodiscard]] bool all_expire(std::span<const Turn> turns, double slice_us);

// The context switch of a process that is out of work, in microseconds. Absent if there is no run in which
// all turns end that way.
[[nodiscard]] std::optional<Estimate> out_of_work_switch(const std::vector<SharingRun>& sharing,
                                                         const std::vector<SparseRun>& sparse,
                                                         double slice_us);

// The switch at expiry, from runs with the same amount of state on the SMs.
struct ExpirySwitch {
  double state_bytes = 0;
  Estimate us;
};
// The estimates in ascending order of state. `spinning` is the estimate from timeslices.csv, if there is one.
[[nodiscard]] std::vector<ExpirySwitch> expiry_switches(const std::vector<SharingRun>& sharing,
                                                        const std::optional<Estimate>& spinning,
                                                        const gpu::Spec& gpu, double slice_us);

// Time in microseconds that a turn loses after an expiry. Uses runs in which all processes run graphs of
// equal kernels of at least 10 us.
[[nodiscard]] std::optional<Estimate> restart_after_expiry(const std::vector<SharingRun>& sharing,
                                                           double slice_us);

}  // namespace jostle::calibration
