// The clock that SMs have while their tensor pipes work, below the clock that the driver reports.
//
// Dense tensor work draws so much current that the voltage at the SMs droops, and their clock follows it
// within a fraction of a millisecond (adaptive clocking). The reported clock stays. On an H100 the loss is in
// proportion to how busy the tensor pipes are, and to the reported clock beyond some 1.27 GHz: at 1980 MHz
// matrix products run at 1560 MHz, vit_l_16 of batch 64 at 1770, resnet50 of batch 64 at 1920 and of batch 1
// at 1968 (evidence/h100-power).
#pragma once

#include <algorithm>

namespace jostle::gpu {

// The loss of speed for tensor pipes that are always busy, for each Hz of the reported clock above `from_hz`.
// 0: none.
struct DroopSpec {
  double from_hz = 0, per_hz = 0;
};

// The same relative to a clock, which counts as 1.
struct Droop {
  double from = 0, per_clock = 0;
  bool operator==(const Droop&) const = default;

  // The speed of the SMs relative to the reported clock. `tensor`: the share of its cycles at clock 1 in
  // which the tensor pipes work.
  [[nodiscard]] double speed(double clock, double tensor) const {
    constexpr double slowest = 0.5;
    return std::max(1 - per_clock * tensor * std::max(0.0, clock - from), slowest);
  }
};

[[nodiscard]] inline Droop droop_at(const DroopSpec& spec, double hz) {
  return {.from = spec.from_hz / hz, .per_clock = spec.per_hz * hz};
}

}  // namespace jostle::gpu
