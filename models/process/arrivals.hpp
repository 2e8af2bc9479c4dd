// Requests to a process: when they arrive, which ones wait, and which ones are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "models/process/identity.hpp"
#include "models/process/queries.hpp"
#include "models/process/spec.hpp"
#include "sim/random.hpp"

namespace jostle::process {

// Number of batches that a process does before it ends.
[[nodiscard]] inline std::uint64_t max_batches(const Spec& spec) {
  return spec.batches ? static_cast<std::uint64_t>(*spec.batches) : std::numeric_limits<std::uint64_t>::max();
}

// Random numbers for the times at which the requests of a process are made.
[[nodiscard]] inline sim::RandomStream arrivals_random(const Identity& identity) {
  return identity.random("arrivals");
}

// A time to think between an answer and the next request: `mean`, or drawn from an exponential distribution
// with this mean.
[[nodiscard]] sim::Duration think_time(sim::Duration mean, bool at_random, sim::RandomStream& random);

// The times at which requests are made.
class ArrivalTimes {
 public:
  // `random` draws the phases of periodic arrivals without a given phase, the drifts of their clocks, and the
  // intervals of Poisson arrivals.
  ArrivalTimes(const Arrivals& arrivals, sim::RandomStream random);

  // Time at which the next request is complete; Time::never() after the last of a trace, and for requests
  // that are not made by time (closed loop, cascade) or while no client thinks.
  [[nodiscard]] sim::Time next() const { return next_; }
  // Time at which its first part was made: before next() if requests are batched, or if a trace says so.
  [[nodiscard]] sim::Time since() const { return since_; }
  void advance();
  // True if it makes requests by time alone, so that a copy makes the same ones.
  [[nodiscard]] bool repeatable() const { return !arrivals_.waits_for_answers(); }
  // The request that a client made at `made` is answered at `now`. A client whose query is answered thinks.
  // Returns false, without effect, if there are no clients, or if the query has requests left.
  bool answered(sim::Time made, sim::Time now);

 private:
  struct Source {  // one source of periodic arrivals
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
  std::int64_t count_ = 0;           // arrivals so far, next_ excluded
  std::int64_t left_ = 0;            // requests that come with next_, after the next one
  Queries queries_;                  // queries of clients
  std::vector<Source> sources_;      // a heap: the source with the next arrival is the first
  std::vector<sim::Time> thinking_;  // a heap: when each client that thinks will ask, next_ excluded
};

class RequestQueue {
 public:
  // A queue of requests that are there as soon as they are made.
  RequestQueue(const Arrivals& arrivals, sim::RandomStream random);
  // A queue of requests reported by deliver(). If more than `limit` would wait, one is dropped.
  RequestQueue(std::optional<std::int64_t> limit, Drop drop);

  // Reports a request made at `since` that arrives at `at`, not before the last one reported.
  void deliver(sim::Time since, sim::Time at);

  // The answer to a request that was made at `made`, as take() or take_batch() returned it, reaches its
  // client now.
  void answered(sim::Time made, sim::Time now);

  // Takes the request that has waited longest, and returns when it was made; none if no request waits at
  // `now`. Calls must not go back in time: no request leaves the queue between two calls.
  [[nodiscard]] std::optional<sim::Time> take(sim::Time now);
  // Requests that wait at `now`, without the one being served. A request that found the process free counts
  // until the process takes it, which may be late for want of a core. As with take(), calls must not go back
  // in time.
  [[nodiscard]] std::int64_t waiting(sim::Time now);
  // False if no request waits at `now`. If true, call take() to find out.
  [[nodiscard]] bool may_have(sim::Time now) const {
    return straight_ || !waiting_.empty() || next_.at <= now;
  }

  // Dynamic batching (Arrivals::max_delay) uses these in place of take(). batch_goes() is true if a batch of
  // at most `most` requests starts at `now`; take_batch() takes it and returns when its requests were made.
  [[nodiscard]] bool batch_goes(sim::Time now, std::int64_t most);
  [[nodiscard]] std::vector<sim::Time> take_batch(std::int64_t most);
  // Time at which the next request arrives or the waiting requests are due as a batch, whichever is first;
  // Time::never() if only deliver() can change that.
  [[nodiscard]] sim::Time ask_again() const;

  // Time at which the next request arrives, as far as that is known; else Time::never().
  [[nodiscard]] sim::Time next() const { return next_.at; }
  // Requests that are held in memory.
  [[nodiscard]] std::size_t kept() const { return waiting_.size(); }
  // Counts since the warm-up: requests that were dropped, and requests that deliver() reported.
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
  sim::Time take_first();

  std::optional<ArrivalTimes> times_;  // none: deliver() reports requests
  std::optional<std::int64_t> limit_;
  Drop drop_;
  std::optional<sim::Duration> max_delay_;
  std::deque<Request> delivered_;  // delivered requests behind next_
  std::deque<Request> waiting_;
  // The requests behind a long queue are not kept but made again: `remade_` of them, of which this is next.
  std::optional<ArrivalTimes> behind_;
  std::int64_t remade_ = 0;
  Request next_;
  bool free_ = true;  // take() last found no request, so the next one does not wait
  // Time at which the request that found the process free was made, until take() returns it.
  std::optional<sim::Time> straight_;
  std::int64_t drops_ = 0, told_ = 0;
};

}  // namespace jostle::process
