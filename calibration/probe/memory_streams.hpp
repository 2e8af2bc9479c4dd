// Streams through the memory from cores: read, write and copy, each by a process.
#pragma once

#include <vector>

#include "calibration/probe/cpu_experiments.hpp"
#include "calibration/probe/summary.hpp"

namespace jostle::calibration::probe {

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
