// Requests to a process: when they come, who waits, and who is turned away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "models/process/spec.hpp"
#include "sim/random.hpp"

namespace jostle::process {

class RequestQueue {
 public:
  // `random` draws the phase of periodic arrivals that name none, and Poisson's intervals.
  RequestQueue(const Arrivals& arrivals, sim::RandomStream random);

  // The arrival time of the request that has waited longest; none if nobody waits at `now`. Calls must not go
  // back in time: between two of them nobody leaves the queue.
  [[nodiscard]] std::optional<sim::Time> take(sim::Time now);
  // When the next request comes; Time::never() after the last of a trace.
  [[nodiscard]] sim::Time next() const { return next_; }
  // Requests that found the queue full.
  [[nodiscard]] std::int64_t drops() const { return drops_; }

 private:
  void advance();

  Arrivals arrivals_;
  sim::RandomStream random_;
  std::deque<sim::Time> waiting_;
  sim::Time next_;
  std::int64_t count_ = 0;  // requests so far, next_ excluded
  sim::Duration phase_;
  bool free_ = true;  // since take() last had nobody to give: whoever comes next does not wait
  std::int64_t drops_ = 0;
};

}  // namespace jostle::process
