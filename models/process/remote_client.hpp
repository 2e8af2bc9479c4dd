// The client of a process over a link: makes its requests, sends each when it is made, and waits for answers.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "models/cpu/cpu.hpp"
#include "models/link/link.hpp"
#include "models/process/arrivals.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/identity.hpp"
#include "models/process/spec.hpp"
#include "models/process/time_account.hpp"
#include "sim/engine.hpp"

namespace jostle::process {

class RemoteClient {
 public:
  // The requests go over the board's link, which must exist. All arguments must outlive the client. `account`
  // is notified when any request or answer is in transit, and when none is. With arrivals the requests are
  // made by themselves, in a closed loop by ask() and answer(). If requests are batched, each part is sent
  // when it is made, and requests become complete behind the link.
  RemoteClient(const BoardParts& board, const Spec& spec, const Identity& identity, TimeAccount& account);
  RemoteClient(const RemoteClient&) = delete;
  RemoteClient& operator=(const RemoteClient&) = delete;

  // In a closed loop: makes a request now, unless it has made as many as the process does batches.
  void ask() { ask(engine_.now()); }
  // Sends an answer, from now on. In a closed loop the client makes its next request when it has the answer.
  void answer();

  // Puts all requests that have arrived by now into the queue.
  void catch_up() { link_.catch_up(); }
  // Takes the request that has waited longest, and returns when it was made; none if no request waits now.
  [[nodiscard]] std::optional<sim::Time> take();
  // True if any more requests will arrive.
  [[nodiscard]] bool expected() const { return link_.expects(stream_); }
  // Requests that were made and wait for the link or for the process; in a closed loop only those that have
  // arrived.
  [[nodiscard]] std::int64_t waiting();
  // The flag that the next arrival sets; to be awaited at once.
  [[nodiscard]] cpu::Flag& arrival();
  // The queue of arrived requests, for callers that take them from there. call_at_arrival() replaces
  // arrival(): it asks for a call at the next arrival.
  [[nodiscard]] RequestQueue& queue() { return queue_; }
  void call_at_arrival(void (*call)(void* context), void* context);
  [[nodiscard]] sim::Duration answer_time() const { return link_.answer_time(); }

  // Requests dropped since the warm-up.
  [[nodiscard]] std::int64_t drops() const { return queue_.drops(); }
  void end_warmup() { queue_.end_warmup(); }

 private:
  void ask(sim::Time at);
  void send_next();
  void captured();
  void delivered(sim::Time sent);
  void wake();

  sim::Engine& engine_;
  link::Link& link_;
  ArrivalTimes times_;           // arrivals of parts
  std::int64_t dynamic_batch_;   // number of parts of a request
  std::int64_t parts_ = 0;       // arrived parts of the next request
  sim::Time first_;              // time at which the first of them was made
  std::deque<sim::Time> since_;  // time at which each part in transit was first made; closed loop: empty
  std::uint64_t left_to_ask_;    // closed loop: requests still to make
  RequestQueue queue_;           // requests that have arrived
  TimeAccount& account_;
  link::StreamId stream_;
  cpu::Flag arrived_;
  void (*call_)(void* context) = nullptr;
  void* context_ = nullptr;
};

}  // namespace jostle::process
