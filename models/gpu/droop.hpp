// The clock of the SMs under tensor work, which is lower than the clock that the driver reports.
//
// Dense tensor work draws so much current that the voltage at the SMs droops, and their clock follows it
// within a fraction of a millisecond (adaptive clocking). The reported clock stays. The model: the loss is in
// proportion to the activity of the tensor pipes and to the reported clock beyond a threshold. Fitted on an
// H100 and an H200; at a reported 1980 MHz it gives 1617 MHz for products of 8192 (measured 1560 to 1590),
// 1679 for those of 2048 (1720 to 1730), 1771 for vit_l_16 of batch 64 (1770), 1929 for resnet50 of batch 64
// (1920) and 1974 for batch 1 (1968): evidence/README.md, h100-power and h200. Measured, but not modelled:
// the loss follows the numbers (zeros lose half as much) and the format (tf32 loses some two thirds).
#pragma once

#include <algorithm>

namespace jostle::gpu {

// The loss of speed for tensor pipes that are always busy, for each Hz of the reported clock above
// `above_hz`. 0: none.
struct DroopSpec {
  double above_hz = 0, per_hz = 0;
};

// The same relative to a clock, which counts as 1.
struct Droop {
  double above = 0, per_clock = 0;
  bool operator==(const Droop&) const = default;

  // The speed of the SMs relative to the reported clock. `tensor`: the share of its cycles at clock 1 in
  // which the tensor pipes work.
  [[nodiscard]] double speed(double clock, double tensor) const {
    constexpr double slowest = 0.5;
    return std::max(1 - per_clock * tensor * std::max(0.0, clock - above), slowest);
  }
};

[[nodiscard]] inline Droop droop_at(const DroopSpec& spec, double hz) {
  return {.above = spec.above_hz / hz, .per_clock = spec.per_hz * hz};
}

}  // namespace jostle::gpu
