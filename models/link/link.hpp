// A link that runs: a FIFO that all its streams share, and beyond it a delay.
//
// Requests of a stream arrive in the order they were sent in, as over one TCP connection: one that is lost,
// or late, holds up those behind it. Streams do not hold up each other but for the bandwidth. How often the
// n-th request of a stream is lost and how late it is are drawn from a random stream of that stream's own, so
// they do not depend on bandwidth, round-trip time or who else is there.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <vector>

#include "models/link/spec.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"
#include "sim/time.hpp"

namespace jostle::link {

using StreamId = std::uint32_t;

// Called at the instant it happens.
struct StreamListener {
  void (*captured)(void* context) = nullptr;  // a request of its was sent; it may send the next
  void (*delivered)(void* context, sim::Time captured) = nullptr;
  void (*wake)(void* context) = nullptr;  // it waits, and a request was delivered
  // Whether any request or answer is on its way; not told of what takes no time.
  void (*under_way)(void* context, bool any) = nullptr;
  void* context = nullptr;
};

class Link {
 public:
  // The engine must outlive it, and not run after it is gone. Throws std::invalid_argument for an impossible
  // spec.
  Link(sim::Engine& engine, const Spec& spec, std::uint64_t seed);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // A stream of requests of `bytes` each; `source` names its random numbers.
  StreamId open(double bytes, std::uint32_t source, const StreamListener& listener);

  // A request enters the queue at `at`, now or later.
  void send(StreamId stream, sim::Time at);
  // An answer goes back, from now on.
  void answer(StreamId stream);
  // Does what is due now. Events do it too; who asks before they had their turn calls it first.
  void catch_up();
  // The stream wants to be woken, once, by the next delivery. Of deliveries at one instant those are woken
  // first who have waited longest.
  void wait(StreamId stream);
  // Whether a request of the stream is on its way or has yet to be sent.
  [[nodiscard]] bool expects(StreamId stream) const {
    return streams_[stream].sent > streams_[stream].arrived;
  }

  [[nodiscard]] sim::Duration answer_time() const { return spec_.rtt / 2; }
  [[nodiscard]] const Spec& spec() const { return spec_; }

  // Since the warm-up, up to now.
  struct Statistics {
    sim::Duration busy;  // sending
    std::int64_t sent = 0, tries = 0, delivered = 0;
    double bytes = 0;         // sent, of all tries
    sim::Duration waited;     // of all tries, for the link to be free
    std::int64_t queued = 0;  // now: tries that have not begun
  };
  [[nodiscard]] Statistics statistics() const;
  void end_warmup();

 private:
  // A request on its way. Of one that is not yet there: never().
  struct Request {
    sim::Time captured;
    sim::Time arrives = sim::Time::never();
    std::int64_t losses = 0;  // tries that will fail
    sim::Duration late;       // by jitter
    bool moves = false;       // counted in Stream::moving
  };
  struct Stream {
    double bytes = 0;
    sim::Duration duration;  // of a try
    sim::RandomStream random;
    StreamListener listener;
    std::deque<Request> requests;  // captured, not settled; the first has number `settled`
    std::uint64_t sent = 0, captured = 0, settled = 0, arrived = 0;
    sim::Time last_arrival;
    int moving = 0;  // requests and answers
    std::optional<std::uint64_t> waiting_since;
  };
  enum class What : std::uint8_t { capture, retry, delivery, answered };
  struct Due {
    sim::Time at;
    std::uint64_t order = 0;
    What what = What::capture;
    StreamId stream = 0;
    std::uint64_t request = 0;  // retry: its number
    sim::Time captured;         // delivery
    [[nodiscard]] bool operator>(const Due& other) const {
      return at != other.at ? at > other.at : order > other.order;
    }
  };

  void plan(Due due);
  void capture(StreamId id);
  void transmit(StreamId id, std::uint64_t number);
  void settle(StreamId id);
  void deliver(StreamId id, sim::Time captured, bool moved);
  void move(StreamId id, int change);
  void wake_waiting();

  sim::Engine& engine_;
  Spec spec_;
  std::uint64_t seed_;
  std::vector<Stream> streams_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<StreamId> to_wake_;
  std::deque<sim::Time> starts_;  // of tries that wait
  std::uint64_t order_ = 0, waits_ = 0;
  sim::Time free_at_;
  bool working_ = false;
  Statistics total_, before_;
};

}  // namespace jostle::link
