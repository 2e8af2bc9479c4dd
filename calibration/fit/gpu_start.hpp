// What a GPU takes to begin: a kernel, or after it has idled.
#pragma once

#include <optional>

#include "calibration/fit/robust.hpp"
#include "calibration/readers/csv.hpp"

namespace jostle::calibration {

// kernels.csv: microseconds of a kernel of one block, less `start_us`, which its SM takes by clock cycles.
[[nodiscard]] std::optional<Estimate> kernel_fixed(const CsvTable& kernels, double start_us);

// In microseconds. open_loop_periodic.csv: requests of one process alone wait longer where they are so rare
// that the GPU has idled for long. `after` is between the longest idling without that cost and the shortest
// with it.
struct IdleEstimates {
  std::optional<Estimate> after, cost;
};
// Rows of more than one process are not read.
[[nodiscard]] IdleEstimates idle_wake(const CsvTable& open_loop);

}  // namespace jostle::calibration
