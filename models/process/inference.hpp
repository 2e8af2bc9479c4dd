// A process that runs inference. Its parts, each in a file of its own:
//
//   loops          in which order it takes requests and does the steps of its batches
//   batch_steps    the steps of a batch
//   host_thread    its thread on the CPU
//   stream         batches on the GPU, by a context (gpu_context) and a way to launch them (launchers)
//   thread_team    batches on the CPU
//   arrivals       its requests, where they are made on the board
//   remote_client  its requests, where they come over a link
//   server         all of that for several streams, or with requests that gather
//   accounting     its figures; what it answered: served
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

#include "models/gpu/gpu.hpp"
#include "models/process/accounting.hpp"
#include "models/process/batch_steps.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/host_thread.hpp"
#include "models/process/identity.hpp"
#include "models/process/loops.hpp"
#include "models/process/server.hpp"
#include "models/process/spec.hpp"
#include "sim/process.hpp"

namespace jostle::process {

class Inference {
 public:
  // The board has what the spec uses: a GPU unless it computes on the CPU, the DLA of its segments.
  Inference(const BoardParts& board, const Spec& spec, const Costs& costs, const Identity& identity);
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  // What its host thread does, to be spawned.
  [[nodiscard]] sim::Process body();

  // Forgets statistics: the warm-up ends. And brings them up to now.
  void end_warmup();
  void settle() { accounting_.time().settle(); }

  // A request to that part of it (Spec::instances), made then, of another's results: comes now.
  void deliver(std::size_t part, sim::Time made);
  // Each image that the part is done with is told.
  void feed(std::size_t part, const Feed& feed);

  [[nodiscard]] const Spec& spec() const { return spec_; }
  [[nodiscard]] const TimeAccount& time() const { return accounting_.time(); }
  [[nodiscard]] const Served& served() const { return accounting_.served(); }
  [[nodiscard]] const sim::RateMeans& rate() const { return served().rate(); }               // images/s
  [[nodiscard]] const sim::Quantiles& latency() const { return latencies().quantiles(); }    // seconds
  [[nodiscard]] const sim::Observations& latencies() const { return served().latencies(); }  // seconds
  [[nodiscard]] std::int64_t enqueue_calls() const { return accounting_.enqueue_calls(); }
  [[nodiscard]] std::int64_t synchronise_calls() const { return accounting_.synchronise_calls(); }
  // In all calls together.
  [[nodiscard]] sim::Duration synchronising() const { return accounting_.synchronising(); }
  [[nodiscard]] std::int64_t batches() const { return served().batches(); }
  // Time passed in each stage, those before inference first; waiting for a core included.
  [[nodiscard]] const std::vector<sim::Duration>& in_stages() const { return accounting_.in_stages(); }
  // When its set-up was done, and its last batch.
  [[nodiscard]] std::optional<sim::Time> ready() const { return accounting_.ready_at(); }
  [[nodiscard]] std::optional<sim::Time> finished() const { return accounting_.finished_at(); }
  [[nodiscard]] gpu::Running running();  // since the warm-up
  // Requests that a full queue dropped, since the warm-up: all, or of a part.
  [[nodiscard]] std::int64_t drops() const;
  [[nodiscard]] std::int64_t drops(std::size_t part) const;
  // Requests to a part that came by deliver(), since the warm-up.
  [[nodiscard]] std::int64_t delivered(std::size_t part) const;
  // Requests that wait now, for the link or for the process.
  [[nodiscard]] std::int64_t waiting();
  [[nodiscard]] std::int64_t waiting(std::size_t part);
  // Whether requests have come that nobody has taken: also the one that a free process would take at once.
  [[nodiscard]] bool may_have_requests(std::size_t part);
  // Its streams with what they answered: none if it is alone on one (serves_instances()).
  [[nodiscard]] const std::deque<Server::Lane>& instances() const;
  // What a stream that generates text has done; null: it does not.
  [[nodiscard]] const TokenFigures* tokens(std::size_t stream) const;
  // What a part has answered: of each of its streams.
  [[nodiscard]] std::vector<const Served*> served_by(std::size_t part) const;
  // The host thread, and those of its team.
  [[nodiscard]] std::int64_t migrations() const;
  [[nodiscard]] std::int64_t involuntary_switches() const;
  // Time since the warm-up in which a quota or the limit of real-time threads held back its thread (of a
  // team: the one most held back).
  [[nodiscard]] sim::Duration throttled() const { return throttled_so_far() - throttled_before_; }

 private:
  [[nodiscard]] cpu::ThreadStatistics of_team() const;  // none: zeros
  [[nodiscard]] sim::Duration throttled_so_far() const;

  Spec spec_;
  Costs costs_;
  sim::Engine& engine_;
  Accounting accounting_;
  sim::Duration throttled_before_;  // at the end of the warm-up
  HostThread host_;
  // A loop over one stream, or over the threads of a team.
  struct Alone {
    Alone(const BoardParts& board, const Spec& spec, const Costs& costs, HostThread& host,
          Accounting& accounting)
        : steps(board, spec, costs, host, accounting) {}
    BatchSteps steps;
    std::optional<Requests> requests;
  };
  using Work = std::variant<Alone, Server>;
  [[nodiscard]] static Work work_of(const BoardParts& board, const Spec& spec, const Costs& costs,
                                    HostThread& host, Accounting& accounting);
  [[nodiscard]] Stream* stream();  // null: not alone on one

  Work work_;
};

}  // namespace jostle::process
