// Estimates start-up costs of a GPU: of a kernel, and after the GPU was idle.
#pragma once

#include <optional>

#include "calibration/fit/robust.hpp"
#include "input/csv.hpp"

namespace jostle::calibration {

// Fixed time of a kernel in microseconds, from kernels.csv: time of a kernel of one block minus `start_us`,
// the part that takes a number of clock cycles.
[[nodiscard]] std::optional<Estimate> kernel_fixed(const input::CsvTable& kernels, double start_us);

// The cost of an idle GPU, in microseconds, from open_loop_periodic.csv: requests of a single process take
// longer if they are so rare that the GPU has been idle for long. `after` is between the longest idle time
// without that cost and the shortest one with it.
struct IdleEstimates {
  std::optional<Estimate> after, cost;
};
// Ignores rows of more than one process.
[[nodiscard]] IdleEstimates idle_wake(const input::CsvTable& open_loop);

}  // namespace jostle::calibration
