// Loads that wait for the one before, over regions of growing size: the latency of each level of the memory.
#pragma once

#include <cstddef>
#include <vector>

#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/summary.hpp"

namespace jostle::calibration::probe {

struct LoadLatency {
  std::size_t bytes = 0;   // the region's
  std::vector<double> ns;  // a load's; a sample each
};

// On one core, over regions from 4 KiB to 128 MiB, at most a sixteenth of the memory.
[[nodiscard]] std::vector<LoadLatency> load_latencies(const CpuBench& bench, double seconds,
                                                      double memory_bytes);

// The sizes at which loads become slower: each is between two regions, of which the larger takes a third
// longer or more, and is the first of a rise. Ascending.
[[nodiscard]] std::vector<double> cache_sizes(const std::vector<LoadLatency>& latencies);

}  // namespace jostle::calibration::probe
