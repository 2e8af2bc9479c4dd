// How a GPU's time slicing shows in measured turns: estimates without any simulation.
//
// Observables and what they are of:
//   - a kernel that spins in each of P processes is stopped for (P - 1) slices and P changes of owner, and
//   runs
//     for a slice in between (timeslices.csv);
//   - where every turn ends dry, the gap before the next is the switch (sharing and sparse intervals);
//   - where no turn ends dry, starts of turns are a slice and a switch at expiry apart, and the kernels of a
//     turn fall short of the slice by the time to restart.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "calibration/fit/robust.hpp"
#include "calibration/fit/turns.hpp"
#include "models/gpu/spec.hpp"

namespace jostle::calibration {

// All in microseconds. `switch_at_expiry`: of one block, which has hardly any state.
struct SpinnerEstimates {
  std::optional<Estimate> slice, slice_jitter, switch_at_expiry;
};
[[nodiscard]] SpinnerEstimates spinners(const CsvTable& timeslices);

// A slice, from runs of sharing_intervals.csv alone, is not to be had: it must be known.
[[nodiscard]] bool all_dry(std::span<const Turn> turns, double slice_us);
[[nodiscard]] bool all_expire(std::span<const Turn> turns, double slice_us);

// In microseconds. None if no run's turns all end dry.
[[nodiscard]] std::optional<Estimate> dry_switch(const std::vector<SharingRun>& sharing,
                                                 const std::vector<SparseRun>& sparse, double slice_us);

// The switch at expiry, of runs with equally much state on the SMs.
struct ExpirySwitch {
  double state_bytes = 0;
  Estimate us;
};
// By state, least first. `spinning`: of timeslices.csv, if there is one.
[[nodiscard]] std::vector<ExpirySwitch> expiry_switches(const std::vector<SharingRun>& sharing,
                                                        const std::optional<Estimate>& spinning,
                                                        const gpu::Spec& gpu, double slice_us);

// Microseconds that a turn after an expiry loses. Graphs of equal kernels of 10 us or more, in all processes.
[[nodiscard]] std::optional<Estimate> restart_after_expiry(const std::vector<SharingRun>& sharing,
                                                           double slice_us);

}  // namespace jostle::calibration
