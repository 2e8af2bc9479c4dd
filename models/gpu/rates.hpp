// The speed of a GPU's kernels relative to the rates that their durations are given at, and the conversion of
// progress when the rates change.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "models/gpu/droop.hpp"
#include "sim/time.hpp"

namespace jostle::gpu {

// The GPU's clock and its share of the DRAM bandwidth, relative to those that kernel sequences are given at
// (both > 0).
struct Rates {
  double clock = 1;
  double memory = 1;
  Droop droop = {};  // relative to the clock that they are given at
  bool operator==(const Rates&) const = default;
};

// Converts `done` of a kernel of duration `before` to a kernel of duration `now`, keeping the fraction.
// Rounds down, so that a kernel that is not finished stays unfinished.
[[nodiscard]] inline sim::Duration same_fraction(sim::Duration done, sim::Duration before,
                                                 sim::Duration now) {
  if (before == now) return done;
  if (done >= before) return now;
  const double part =
      static_cast<double>(done.ps()) * static_cast<double>(now.ps()) / static_cast<double>(before.ps());
  const auto floor = static_cast<std::int64_t>(std::floor(part));
  return std::clamp(sim::Duration{floor}, sim::Duration::zero(),
                    std::max(now - sim::Duration{1}, sim::Duration::zero()));
}

}  // namespace jostle::gpu
