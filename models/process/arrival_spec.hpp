// Arrivals of the work of a process: in a closed loop, periodic, at random, as recorded, made by another's
// results, or made by clients that wait for their answers; and the limits of its queue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/time.hpp"

namespace jostle::process {

enum class ArrivalKind { closed_loop, periodic, poisson, trace, cascade, clients };

// The request that is dropped when one more comes to a full queue: the new one, or the one that has waited
// longest.
enum class Drop : std::uint8_t { newest, oldest };

// Number of requests that each image served by another process makes.
enum class FanOutKind : std::uint8_t { fixed, poisson };
struct FanOut {
  double mean = 1;
  FanOutKind kind = FanOutKind::fixed;
};

// A source that sleeps so long at a time until its next request has come, as a loop around time.sleep() does.
struct PollingWait {
  sim::Duration poll;
  // Host work of each wake-up, beside the switch of threads.
  sim::Duration work = sim::microseconds(6);
};
// The kernel lets the timer of a sleep run out late by up to this: the default of prctl(PR_SET_TIMERSLACK).
inline const sim::Duration timer_slack = sim::microseconds(50);

struct Arrivals {
  ArrivalKind kind = ArrivalKind::closed_loop;
  double rate_per_s = 0;               // periodic, poisson
  std::optional<sim::Duration> phase;  // periodic; drawn from the seed if absent
  std::int64_t streams = 1;            // periodic: number of sources of that rate, each with a phase drawn
  double drift = 0;                // periodic: each source's clock is fast or slow by up to this share, drawn
  std::int64_t dynamic_batch = 1;  // number of arrivals that make one request
  std::int64_t burst = 1;          // number of requests that come with each arrival: a query
  std::vector<sim::Time> since = {};        // trace: when each request was first made; empty: at its time
  std::vector<sim::Time> times;             // trace, ascending
  std::optional<std::int64_t> queue_limit;  // waiting requests beyond it are dropped
  Drop drop = Drop::newest;
  std::optional<PollingWait> wait = {};  // none: it sleeps until the next request
  // Dynamic batching: requests are single images, and a batch starts when it is full or when the request that
  // has waited longest has waited this long. None: a request is a batch.
  std::optional<sim::Duration> max_delay = {};
  std::string after = {};  // cascade: the name of the instance or process whose results make the requests
  FanOut fan_out = {};     // cascade: number of requests per result
  // Clients: their number. Each asks, waits for its answer (to all requests of its query), thinks for this
  // long, and asks again.
  std::int64_t clients = 0;
  sim::Duration think = {};
  bool think_at_random = false;  // the time is drawn from an exponential distribution with mean `think`

  [[nodiscard]] bool closed_loop() const { return kind == ArrivalKind::closed_loop; }
  // True if the next request waits for the answer to an earlier one, so that the queue cannot grow without
  // bound.
  [[nodiscard]] bool waits_for_answers() const { return closed_loop() || kind == ArrivalKind::clients; }
};

// An answered request: when it was made, and when it was answered.
struct Answered {
  sim::Time made, at;
};

}  // namespace jostle::process
