// Requests to a process: when they come, who waits, and who is turned away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "models/process/identity.hpp"
#include "models/process/spec.hpp"
#include "sim/random.hpp"

namespace jostle::process {

// How many batches a process does before it ends.
[[nodiscard]] inline std::uint64_t max_batches(const Spec& spec) {
  return spec.batches ? static_cast<std::uint64_t>(*spec.batches) : std::numeric_limits<std::uint64_t>::max();
}

// Draws when the requests of a process are made.
[[nodiscard]] inline sim::RandomStream arrivals_random(const Identity& identity) {
  return identity.random("arrivals");
}

// When requests are made.
class ArrivalTimes {
 public:
  // `random` draws the phases of periodic arrivals that name none, the drifts of their clocks, and Poisson's
  // intervals.
  ArrivalTimes(const Arrivals& arrivals, sim::RandomStream random);

  // When the next request is whole; Time::never() after the last of a trace, and of a closed loop.
  [[nodiscard]] sim::Time next() const { return next_; }
  // When the first part of it came: earlier where requests are batched.
  [[nodiscard]] sim::Time since() const { return since_; }
  void advance();

 private:
  struct Source {  // of periodic arrivals
    sim::Duration phase;
    double rate_per_s = 0;
    std::int64_t count = 0;  // arrivals so far
    sim::Time next;
  };
  void advance_one();
  void open_sources();
  [[nodiscard]] sim::Time next_of_sources();

  Arrivals arrivals_;
  sim::RandomStream random_;
  sim::Time next_, since_;
  std::int64_t count_ = 0;       // arrivals so far, next_ excluded
  std::vector<Source> sources_;  // a heap: the one with the next arrival is the first
};

class RequestQueue {
 public:
  // Of requests that are there when they are made.
  RequestQueue(const Arrivals& arrivals, sim::RandomStream random);
  // Of those told by deliver(); beyond `limit` waiting ones one is dropped.
  RequestQueue(std::optional<std::int64_t> limit, Drop drop);

  // A request made at `since` is there at `at`, not before the last one.
  void deliver(sim::Time since, sim::Time at);

  // When the request that has waited longest was made; none if nobody waits at `now`. Calls must not go back
  // in time: between two of them nobody leaves the queue.
  [[nodiscard]] std::optional<sim::Time> take(sim::Time now);
  // Requests that wait at `now`, without the one being served: also one that found the process free and that
  // it has not come to take, for want of a core. As take(): not back in time.
  [[nodiscard]] std::int64_t waiting(sim::Time now);
  // Whether anybody may wait at `now`: take() tells.
  [[nodiscard]] bool may_have(sim::Time now) const {
    return straight_ || !waiting_.empty() || next_.at <= now;
  }

  // With dynamic batching (Arrivals::max_delay), in place of take(): whether a batch of at most `most` goes
  // at `now`, and when its requests were made.
  [[nodiscard]] bool batch_goes(sim::Time now, std::int64_t most);
  [[nodiscard]] std::vector<sim::Time> take_batch(std::int64_t most);
  // When the answer may change by itself: Time::never() if only deliver() can do that.
  [[nodiscard]] sim::Time ask_again() const;

  // When the next request will be there, as far as is known; else Time::never().
  [[nodiscard]] sim::Time next() const { return next_.at; }
  // Since the warm-up: requests that were dropped, and requests that deliver() told.
  [[nodiscard]] std::int64_t drops() const { return drops_; }
  [[nodiscard]] std::int64_t delivered() const { return told_; }
  void end_warmup() { drops_ = told_ = 0; }

 private:
  struct Request {
    sim::Time since, at;
  };
  void advance();
  void enqueue();
  void arrive(sim::Time now);

  std::optional<ArrivalTimes> times_;  // none: deliver() tells
  std::optional<std::int64_t> limit_;
  Drop drop_;
  std::optional<sim::Duration> max_delay_;
  std::deque<Request> delivered_;  // behind next_
  std::deque<Request> waiting_;
  Request next_;
  bool free_ = true;  // since take() last had nobody to give: whoever comes next does not wait
  std::optional<sim::Time> straight_;  // made then: who came next, until take() gives it
  std::int64_t drops_ = 0, told_ = 0;
};

}  // namespace jostle::process
