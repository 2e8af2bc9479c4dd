// Who asks a process over a link: makes its requests, sends each when it is made, and waits for answers.
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
  // Its requests go over the board's link, which it has. All must outlive it; `account` is told whether any
  // request or answer is on its way. With arrivals the requests are made by themselves, in a closed loop by
  // ask() and answer(). Where they are batched, each part is sent when it is made, and they become whole
  // behind the link.
  RemoteClient(const BoardParts& board, const Spec& spec, const Identity& identity, TimeAccount& account);
  RemoteClient(const RemoteClient&) = delete;
  RemoteClient& operator=(const RemoteClient&) = delete;

  // In a closed loop: makes a request now, unless it has made as many as the process does batches.
  void ask() { ask(engine_.now()); }
  // Answers a request, from now on. In a closed loop the client asks again when it has the answer.
  void answer();

  // All that has arrived by now is in the queue.
  void catch_up() { link_.catch_up(); }
  // When the request that has waited longest was made; none if nobody waits now.
  [[nodiscard]] std::optional<sim::Time> take();
  // Whether any more will arrive.
  [[nodiscard]] bool expected() const { return link_.expects(stream_); }
  // Requests that were made and wait for the link or for the process; of a closed loop none.
  [[nodiscard]] std::int64_t waiting();
  // To be waited for at once: set by the next arrival.
  [[nodiscard]] cpu::Flag& arrival();
  // What has arrived, for who takes it from there; and in place of arrival(), a call at the next arrival.
  [[nodiscard]] RequestQueue& queue() { return queue_; }
  void call_at_arrival(void (*call)(void* context), void* context);
  [[nodiscard]] sim::Duration answer_time() const { return link_.answer_time(); }

  // Of its requests, since the warm-up.
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
  ArrivalTimes times_;           // of parts
  std::int64_t dynamic_batch_;   // parts of a request
  std::int64_t parts_ = 0;       // of the next one that have arrived
  sim::Time first_;              // when the first of them was made
  std::deque<sim::Time> since_;  // when what is under way was first made; of a closed loop: nothing
  std::uint64_t left_to_ask_;    // in a closed loop
  RequestQueue queue_;           // what has arrived
  TimeAccount& account_;
  link::StreamId stream_;
  cpu::Flag arrived_;
  void (*call_)(void* context) = nullptr;
  void* context_ = nullptr;
};

}  // namespace jostle::process
