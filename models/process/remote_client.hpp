// Who asks a process over a link: makes its requests, sends each when it is made, and waits for answers.
#pragma once

#include <cstdint>
#include <deque>

#include "models/cpu/cpu.hpp"
#include "models/link/link.hpp"
#include "models/process/arrivals.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"

namespace jostle::process {

class RemoteClient {
 public:
  struct Listener {
    void (*under_way)(void* context, bool any) = nullptr;  // as link::StreamListener's
    void* context = nullptr;
  };

  // Requests of `bytes` each go to `queue`. All must outlive it; `source` names its random numbers, `random`
  // draws the times of arrivals. With arrivals the requests are made by themselves, in a closed loop by
  // ask(). Where they are batched, each part is sent when it is made, and they become whole behind the link.
  RemoteClient(sim::Engine& engine, link::Link& link, double bytes, std::uint32_t source,
               const Arrivals& arrivals, sim::RandomStream random, RequestQueue& queue,
               const Listener& listener);
  RemoteClient(const RemoteClient&) = delete;
  RemoteClient& operator=(const RemoteClient&) = delete;

  // Makes a request, now or later.
  void ask(sim::Time at) { link_.send(stream_, at); }
  // Answers a request, from now on; the client has it answer_time() later.
  void answer() { link_.answer(stream_); }
  [[nodiscard]] sim::Duration answer_time() const { return link_.answer_time(); }

  // All that has arrived by now is in the queue.
  void catch_up() { link_.catch_up(); }
  // Whether any more will arrive.
  [[nodiscard]] bool expected() const { return link_.expects(stream_); }
  // To be waited for at once: set by the next arrival.
  [[nodiscard]] cpu::Flag& arrival();

 private:
  void ask_next();
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
  RequestQueue& queue_;
  Listener listener_;
  link::StreamId stream_;
  cpu::Flag arrived_;
};

}  // namespace jostle::process
