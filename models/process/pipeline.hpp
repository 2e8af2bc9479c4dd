// A process whose stages overlap (Spec::overlap): each has threads of its own (StageLine), and so has
// inference (Server). Requests wait at its entrance while as many as it holds are under way, as elements with
// a pool of buffers make those before them wait.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "models/cpu/cpu.hpp"
#include "models/process/arrivals.hpp"
#include "models/process/server.hpp"
#include "models/process/stage_line.hpp"

namespace jostle::process {

class Pipeline {
 public:
  // The board must have a GPU. All arguments must outlive the pipeline.
  Pipeline(const BoardParts& board, const Spec& spec, const Costs& costs, std::deque<HostThread>& hosts,
           Accounting& accounting);
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;
  // Opens queues and tracks and creates threads. Call it once, before anything runs.
  void open(const Identity& identity);

  // Lets requests in from now on; then server().run() is the work of a thread that does inference.
  void start() { let_in(); }
  void end_warmup();

  // Waits until the stages behind inference have nothing left to do.
  [[nodiscard]] sim::Task<> drain(HostThread& host);

  [[nodiscard]] Server& server() { return server_; }
  [[nodiscard]] const Server& server() const { return server_; }
  [[nodiscard]] const StageLine& before() const { return before_; }
  [[nodiscard]] const StageLine& after() const { return after_; }

  // Counts at its entrance; zero in a closed loop.
  [[nodiscard]] std::int64_t drops() const { return requests_ ? requests_->drops() : 0; }
  [[nodiscard]] std::int64_t waiting() { return requests_ ? requests_->waiting(engine_.now()) : 0; }
  [[nodiscard]] bool may_have_requests() const { return requests_ && requests_->may_have(engine_.now()); }
  // Requests between its entrance and its end.
  [[nodiscard]] std::int64_t under_way() const { return under_way_; }

 private:
  void let_in();
  void enter(sim::Time made);
  void left(const Passing& passing);

  sim::Engine& engine_;
  const Spec& spec_;
  Spec inner_;  // inference alone: its requests come out of the stages before it
  Server server_;
  StageLine before_, after_;
  std::optional<RequestQueue> requests_;  // none: a closed loop
  std::int64_t most_, each_;              // requests under way at most, and images of each
  std::int64_t under_way_ = 0;
  sim::EventId timer_;
  cpu::Flag passed_;  // a batch has passed the last stage
};

}  // namespace jostle::process
