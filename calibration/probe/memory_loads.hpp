// Loads on the memory from cores: how long one load waits, and how much streams move.
#pragma once

#include <cstddef>
#include <vector>

#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/summary.hpp"

namespace jostle::calibration::probe {

// Loads that wait for the one before, over regions of growing size: the latency of each level of the memory.
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

// Streams through the memory from cores: read, write and copy, each by a process.
enum class StreamKind { read, write, copy };
[[nodiscard]] const char* to_string(StreamKind kind);

struct MemoryStream {
  StreamKind kind = StreamKind::read;
  int core = 0;
};

// The GB/s of each stream while all run: samples of 50 ms, in the order of `streams`. A copy counts the bytes
// that it copies once. Empty if the memory is not to be had or the probe is interrupted.
[[nodiscard]] std::vector<std::vector<double>> run_streams(const CpuBench& bench,
                                                           const std::vector<MemoryStream>& streams,
                                                           double seconds);

}  // namespace jostle::calibration::probe
