// When the work of a process arrives: in a closed loop, on a clock, at random, as recorded, or made by
// another's results; and how it waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/time.hpp"

namespace jostle::process {

enum class ArrivalKind { closed_loop, periodic, poisson, trace, cascade };

// Who is dropped when one more comes to a full queue: it, or the one that has waited longest.
enum class Drop : std::uint8_t { newest, oldest };

// How many requests each image that another has served makes.
enum class FanOutKind : std::uint8_t { fixed, poisson };
struct FanOut {
  double mean = 1;
  FanOutKind kind = FanOutKind::fixed;
};

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
  Drop drop = Drop::newest;
  // Dynamic batching: requests are single images, and a batch goes when it is full or when the request that
  // has waited longest has waited for this long. None: a request is a batch.
  std::optional<sim::Duration> max_delay = {};
  std::string after = {};  // cascade: the name of the instance or process whose results make the requests
  FanOut fan_out = {};     // of a cascade
};

// A request that was answered.
struct Answered {
  sim::Time made, at;
};

}  // namespace jostle::process
