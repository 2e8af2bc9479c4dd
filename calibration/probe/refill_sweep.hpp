// Refills of working sets of all sizes, in rounds: a machine whose cores share more or less from one second
// to the next (threads of a virtual machine) differs from round to round, and the error says so.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/summary.hpp"

namespace jostle::calibration::probe {

struct RefillSweep {
  std::string what;        // for the progress
  std::string seen;        // parameters are named so, with the size behind
  std::string how;         // the experiment
  double cache_bytes = 0;  // of a core; 0: not told
  double seconds = 1;      // of each size, all rounds together
  // Refills of a working set, us; runs for so many seconds.
  std::function<std::vector<double>(std::size_t bytes, double seconds)> sample;
};

// Adds a parameter of each size. Returns what a working set loses that fills the cache: the mean over those
// that fill an eighth to all of it, each over its part. Absent if none does.
[[nodiscard]] std::optional<Summary> measure_refills(const CpuBench& bench, const RefillSweep& sweep,
                                                     Outcome& outcome);

}  // namespace jostle::calibration::probe
