// When the work of a process arrives: in a closed loop, on a clock, at random, or as recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/time.hpp"

namespace jostle::process {

enum class ArrivalKind { closed_loop, periodic, poisson, trace };
struct Arrivals {
  ArrivalKind kind = ArrivalKind::closed_loop;
  double rate_per_s = 0;               // periodic, poisson
  std::optional<sim::Duration> phase;  // periodic; drawn from the seed if absent
  std::int64_t streams = 1;            // periodic: so many sources of that rate, each with a phase drawn
  double drift = 0;  // periodic: the clock of each source is fast or slow by up to this share, drawn
  std::int64_t dynamic_batch = 1;           // a request is made of so many of what arrives
  std::vector<sim::Time> since = {};        // trace: when each request was first made; empty: at its time
  std::vector<sim::Time> times;             // trace, ascending
  std::optional<std::int64_t> queue_limit;  // waiting requests beyond it are dropped
};

// A request that was answered.
struct Answered {
  sim::Time made, at;
};

}  // namespace jostle::process
