// Processes that never sleep: each notes when it had its core, by reading the clock in a loop.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "calibration/probe/cpu_experiments.hpp"

namespace jostle::calibration::probe {

// A time during which a hog ran without a gap.
struct Stretch {
  int hog = 0;
  std::int64_t start_ns = 0, length_ns = 0;
};

struct HogRun {
  std::vector<Stretch>
      stretches;  // stretches of all hogs, each hog's in order; the first and last of each are cut
  std::vector<double> shares;  // shares of the time that all had the core, by hog
};

struct HogQuestion {
  int core = 0;
  int hogs = 2;
  double seconds = 1;
  std::function<bool(int hog)> prepare = {};  // runs in each hog before it begins; false: it ends at once
};

// Runs hogs on one core. Empty if one could not be prepared.
[[nodiscard]] HogRun run_hogs(const CpuBench& bench, const HogQuestion& question);

}  // namespace jostle::calibration::probe
