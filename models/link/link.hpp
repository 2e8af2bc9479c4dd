// A running link: a FIFO that all streams share, followed by a delay.
//
// The requests of a stream arrive in the order in which they were sent, as over one TCP connection: a request
// that is lost or late delays those behind it. Streams affect each other only through the bandwidth. How
// often the n-th request of a stream is lost and how late it is are drawn from that stream's own random
// stream, so they do not depend on bandwidth, round-trip time or other streams.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <vector>

#include "sim/engine.hpp"
#include "sim/random.hpp"
#include "sim/time.hpp"

namespace jostle::link {

// Parameters of a network link: requests of several streams are sent one after another, answers come back.

// Time of a request and of its answer:
//   transfer = wait for the link + bytes / bandwidth + rtt / 2 + jitter; for each lost attempt in addition
//              max(retry_after, rtt), the wait for the link and bytes / bandwidth again
//   answer   = rtt / 2, because it is small
struct Spec {
  double bandwidth_bytes_per_s = 0;  // > 0; towards the board
  sim::Duration rtt;
  sim::Duration jitter;  // mean, and standard deviation, of a lognormal delay that is added to each transfer
  // Probability that one attempt to send a request fails; attempts are independent; < 1.
  double loss = 0;
  // Time from the last bit of a lost attempt to the next attempt: the minimum retransmission time-out of
  // Linux (TCP_RTO_MIN), but never before an acknowledgement could have arrived.
  sim::Duration retry_after = sim::milliseconds(200);
  double energy_per_bit_j = 0;  // energy of the sender, for every attempt
};

using StreamId = std::uint32_t;

// Called at the instant of the event.
struct StreamListener {
  void (*captured)(void* context) = nullptr;  // a request of this stream was captured; it may send the next
  void (*delivered)(void* context, sim::Time captured) = nullptr;
  void (*wake)(void* context) = nullptr;  // the stream waits, and a request was delivered
  // `any`: true if any request or answer is in transit. Not called for transfers that take no time.
  void (*under_way)(void* context, bool any) = nullptr;
  void* context = nullptr;
};

class Link {
 public:
  // The engine must outlive the link and must not run after the link is destroyed. Throws
  // std::invalid_argument for invalid parameters.
  Link(sim::Engine& engine, const Spec& spec);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // Opens a stream of requests of `bytes` each, whose losses and delays are drawn from `random`.
  StreamId open(double bytes, const sim::RandomStream& random, const StreamListener& listener);

  // Sends a request: it enters the queue at `at`, now or later.
  void send(StreamId stream, sim::Time at);
  // Sends an answer back, starting now.
  void answer(StreamId stream);
  // Handles everything that is due now. Events do this too; call it before asking for state at an instant
  // whose events have not run yet.
  void catch_up();
  // The stream is to be woken once, by the next delivery. Of deliveries at one instant, the stream that has
  // waited longest is woken first.
  void wait(StreamId stream);
  // True if a request of the stream is in transit or still to be sent.
  [[nodiscard]] bool expects(StreamId stream) const {
    return streams_[stream].sent > streams_[stream].arrived;
  }

  [[nodiscard]] sim::Duration answer_time() const { return spec_.rtt / 2; }
  [[nodiscard]] const Spec& spec() const { return spec_; }

  // Totals from the end of the warm-up up to now.
  struct Statistics {
    sim::Duration busy;  // time spent sending
    std::int64_t sent = 0, tries = 0, delivered = 0;
    double bytes = 0;         // bytes sent, counting all attempts
    sim::Duration waited;     // time that attempts waited for the link to be free, in total
    std::int64_t queued = 0;  // now: attempts that have not begun
  };
  [[nodiscard]] Statistics statistics() const;
  void end_warmup();

 private:
  // A request in transit. Times that are not known yet are never().
  struct Request {
    sim::Time captured;
    sim::Time arrives = sim::Time::never();
    std::int64_t losses = 0;  // attempts that will fail
    sim::Duration late;       // delay by jitter
    bool moves = false;       // is counted in Stream::moving
  };
  struct Stream {
    double bytes = 0;
    sim::Duration duration;  // duration of one attempt
    sim::RandomStream random;
    StreamListener listener;
    std::deque<Request> requests;  // captured but not settled; the first has number `settled`
    std::uint64_t sent = 0, captured = 0, settled = 0, arrived = 0;
    sim::Time last_arrival;
    int moving = 0;  // requests and answers in transit
    std::optional<std::uint64_t> waiting_since;
  };
  enum class What : std::uint8_t { capture, retry, delivery, answered };
  struct Due {
    sim::Time at;
    std::uint64_t order = 0;
    What what = What::capture;
    StreamId stream = 0;
    std::uint64_t request = 0;  // retry: number of the request
    sim::Time captured;         // delivery: capture time of the request
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
  std::vector<Stream> streams_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::vector<StreamId> to_wake_;
  std::deque<sim::Time> starts_;  // start times of waiting attempts
  std::uint64_t order_ = 0, waits_ = 0;
  sim::Time free_at_;
  bool working_ = false;
  Statistics total_, before_;
};

}  // namespace jostle::link
