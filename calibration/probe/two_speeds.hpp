// The two speeds of a machine's cores, from times of equal blocks of work: a thread of somebody else runs on
// the other hardware thread of a core, or none (cpu::TwoSpeeds).
#pragma once

#include <optional>
#include <vector>

#include "calibration/probe/summary.hpp"

namespace jostle::calibration::probe {

// The two speeds, as parameters of a profile.
struct SpeedsFound {
  Summary factor;   // time of a block at the slow speed, over that at the quick one
  Summary weight;   // share of the time at the slow speed, all cores together
  Summary slow_ms;  // mean time at the slow speed before it changes
};

// Times of blocks in ms, each core's in the order in which they ran, without gaps. Blocks are read in medians
// of 25, and the logarithms of these divided into two groups by least squares (k-means with k = 2). Absent if
// the groups are less than a factor of 1.15 or four of their own spreads apart, or one holds less than 2 %:
// then cores have one speed. The mean time at the slow speed is all time there over the changes to the quick
// one.
[[nodiscard]] std::optional<SpeedsFound> find_two_speeds(const std::vector<std::vector<double>>& cores);

}  // namespace jostle::calibration::probe
