// How fast a GPU runs its kernels, against the rates their durations were given at; and what a change of
// rates leaves of what has been done.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sim/time.hpp"

namespace jostle::gpu {

// Clock of the GPU, and its share of the DRAM's bandwidth, relative to what kernel sequences are given at
// (both > 0).
struct Rates {
  double clock = 1;
  double memory = 1;
  bool operator==(const Rates&) const = default;
};

// `done` of a kernel of duration `before`, in a kernel of duration `now`, by its fraction: rounded down, so
// that what is not over stays so.
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
