// A process that serves several streams, or gathers requests: a host thread launches on all of its streams
// and waits for the first of their events, by polling them in turn or asleep. If there are several host
// threads, the streams are dealt out to them in turn.
//
// Requests may come over a link if the process is one language model.
//
// A lane is a stream with an instance of a network on it. The lanes of one network take requests from one
// queue, as a model's instances do in Triton. The lane with the highest priority is served first. Among
// equals a batch goes to the lane with the fewest batches under way, and then to the one that has waited
// longest for a turn.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "models/cpu/cpu.hpp"
#include "models/process/accounting.hpp"
#include "models/process/arrivals.hpp"
#include "models/process/batch_steps.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/generator.hpp"
#include "models/process/host_thread.hpp"
#include "models/process/identity.hpp"
#include "models/process/loops.hpp"
#include "models/process/remote_client.hpp"
#include "models/process/served.hpp"
#include "models/process/spec.hpp"
#include "sim/engine.hpp"
#include "sim/process.hpp"
#include "sim/random.hpp"

namespace jostle::process {

class Server {
 public:
  // The board must have a GPU, unless the cores compute everything. All arguments must outlive the server.
  Server(const BoardParts& board, const Spec& spec, const Costs& costs, std::deque<HostThread>& hosts,
         Accounting& accounting);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // Opens the queues and the tracks. Call it once, before anything runs.
  void open(const Identity& identity);

  // The work of a host thread, by its number, until no more requests come or all batches are done.
  [[nodiscard]] sim::Task<LoopEnd> run(std::size_t thread) { return run(workers_[thread]); }
  void end_warmup();

  // Another process has served an image whose request was made at `made`. Makes the requests to the part
  // (index of Spec::instances) that follow from it, now.
  void deliver(std::size_t part, sim::Time made);
  // From now on, reports each image that the part has served to `feed`.
  void feed(std::size_t part, const Feed& feed);
  // From now on, hands finished batches on to the stages of other threads, which answer them.
  void hand_on_to(StageLine& line);
  // BatchSteps::serving() of each stream; called by the part that hands requests to the server.
  void serving(bool full);

  class Lane {
   public:
    Lane(const BoardParts& board, const Spec& spec, const Costs& costs, HostThread& host,
         Accounting& accounting);
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    [[nodiscard]] const Spec& spec() const { return spec_; }
    [[nodiscard]] std::size_t part() const { return part_; }
    [[nodiscard]] const Served& served() const { return *served_; }
    [[nodiscard]] GpuContext& context() { return steps_.stream().context(); }
    [[nodiscard]] const std::optional<Generator>& generator() const { return generator_; }
    // The threads that compute what the cores have of a step of the generator; null: they have nothing.
    [[nodiscard]] const ThreadTeam* team() const {
      const auto* const all = std::get_if<ThreadTeam>(&steps_.executor());
      return all != nullptr ? all : helpers_ ? &*helpers_ : nullptr;
    }
    // True if the cores compute all of its steps.
    [[nodiscard]] bool alone() const { return spec_.on_cores(); }

   private:
    friend class Server;
    [[nodiscard]] ThreadTeam* team() {
      auto* const all = std::get_if<ThreadTeam>(&steps_.executor());
      return all != nullptr ? all : helpers_ ? &*helpers_ : nullptr;
    }
    [[nodiscard]] std::uint64_t in_flight() const { return enqueued_ - seen_; }
    [[nodiscard]] bool done() { return in_flight() > 0 && (alone() || steps_.is_done(seen_ + turns_taken_)); }
    // The number that the next batch has on the stream, where each turn of a step counts.
    [[nodiscard]] std::uint64_t on_stream() const { return enqueued_ + turns_taken_; }
    [[nodiscard]] bool closed() const { return spec_.arrivals.closed_loop(); }
    // Images of the batch that is under way.
    [[nodiscard]] std::int64_t images() const {
      return spec_.arrivals.max_delay ? static_cast<std::int64_t>(made_.size()) : spec_.batch;
    }

    Spec spec_;
    Costs costs_, team_costs_;
    BatchSteps steps_;
    std::size_t part_ = 0;
    std::optional<Served> own_;  // set if there are several lanes; otherwise the process's own is used
    const Served* served_ = nullptr;
    std::uint64_t enqueued_ = 0, seen_ = 0;  // numbers of batches
    std::uint64_t turns_taken_ = 0;          // turns of GPU and cores within its steps so far
    std::uint64_t turn_ = 0;                 // number of its last turn among the lanes
    // Times at which the requests of the present batch were made; closed loop: empty.
    std::vector<sim::Time> made_;
    std::optional<Generator> generator_;  // chooses its batches
    std::optional<ThreadTeam> helpers_;   // they compute a part of its steps
  };
  [[nodiscard]] std::deque<Lane>& lanes() { return lanes_; }
  [[nodiscard]] const std::deque<Lane>& lanes() const { return lanes_; }

  // Counts of the queue of a part; zero in a closed loop.
  [[nodiscard]] std::int64_t drops(std::size_t part) const;
  [[nodiscard]] std::int64_t delivered(std::size_t part) const;
  [[nodiscard]] std::int64_t waiting(std::size_t part);
  [[nodiscard]] bool may_have_requests(std::size_t part);

 private:
  struct Part {
    const Spec* spec = nullptr;
    std::optional<RequestQueue> own;     // none: a closed loop, or a link
    std::optional<RemoteClient> remote;  // none: no link
    [[nodiscard]] RequestQueue* requests() { return remote ? &remote->queue() : own ? &*own : nullptr; }
    std::optional<sim::RandomStream> fan_out;
  };

  // A host thread with its lanes.
  struct Worker {
    Worker(Server& of, HostThread& thread) : server(of), host(thread) {}
    void timer_due() { server.timer_due(*this); }

    Server& server;
    HostThread& host;
    std::vector<Lane*> lanes;
    cpu::Flag woken;  // a batch is done, or a request may be served
    sim::EventId timer;
  };

  [[nodiscard]] sim::Task<LoopEnd> run(Worker& worker);
  [[nodiscard]] bool ready(Lane& lane);
  [[nodiscard]] bool takes_more(const Lane& lane) const;
  [[nodiscard]] Lane* to_enqueue(const Worker& worker);
  [[nodiscard]] static Lane* to_record(const Worker& worker);
  [[nodiscard]] static bool any_in_flight(const Worker& worker);
  [[nodiscard]] bool any_to_come(const Worker& worker) const;
  [[nodiscard]] sim::Task<> enqueue(Worker& worker, Lane& lane);
  [[nodiscard]] sim::Task<> form_batch(HostThread& host, Lane& lane);
  [[nodiscard]] sim::Task<> launch(Lane& lane, sim::Time made);
  [[nodiscard]] sim::Task<> visit_cores(Lane& lane, sim::Time made);
  [[nodiscard]] sim::Task<> wait(Worker& worker);
  void record(Worker& worker, Lane& lane);
  void answer_clients(const Worker& worker, const Lane& lane);
  void size_batch(Lane& lane);
  void set_timer(Worker& worker);
  void timer_due(Worker& worker);

  BoardParts board_;
  sim::Engine& engine_;
  const Spec& spec_;
  Accounting& accounting_;
  std::deque<Part> parts_;
  std::deque<Lane> lanes_;
  std::deque<Worker> workers_;
  std::uint64_t turns_ = 0;
};

}  // namespace jostle::process
