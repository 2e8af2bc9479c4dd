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

#include <optional>
#include <span>
#include <vector>

#include "calibration/fit/robust.hpp"
#include "calibration/fit/turns.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::calibration {

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
