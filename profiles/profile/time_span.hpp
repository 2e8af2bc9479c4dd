// The reader of spans of simulated time: "2.091 ms", within limits.
#pragma once

#include <optional>

#include "input/cursor.hpp"
#include "sim/time.hpp"

namespace jostle::profiles {

// Reads a span of simulated time.
struct TimeSpan {
  sim::Duration least = sim::Duration::zero();
  sim::Duration most = sim::Duration::max();
  bool above_least = false;
  [[nodiscard]] std::optional<sim::Duration> operator()(const input::Cursor& at) const;
};

}  // namespace jostle::profiles
