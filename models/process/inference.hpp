// A process that runs inference. Its parts, each in a file of its own:
//
//   loops          in which order it takes requests and does the steps of its batches
//   batch_steps    the steps of a batch
//   host_thread    its thread on the CPU, or threads; launch_lock is what they contend for
//   stream         batches on the GPU, by a context (gpu_context) and a way to launch them (launchers)
//   thread_team    batches on the CPU
//   arrivals       its requests, where they are made on the board
//   remote_client  its requests, where they come over a link
//   server         all of that for several streams, or for requests that are gathered
//   pipeline       a server between stages that other threads do (stage_line)
//   accounting     its metrics; its answered requests are in served
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
#include "models/process/launch_lock.hpp"
#include "models/process/loops.hpp"
#include "models/process/pipeline.hpp"
#include "models/process/server.hpp"
#include "models/process/spec.hpp"
#include "sim/process.hpp"
#include "sim/random.hpp"

namespace jostle::process {

class Inference {
 public:
  // The board must have the parts that the spec uses: a GPU unless the process computes on the CPU, and the
  // DLA of its segments.
  Inference(const BoardParts& board, const Spec& spec, const Costs& costs, const Identity& identity);
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  // The work of one of its host threads, to be spawned for each.
  [[nodiscard]] sim::Process body(std::size_t thread);
  [[nodiscard]] std::size_t host_threads() const { return hosts_.size(); }

  // end_warmup() forgets statistics when the warm-up ends; settle() brings them up to now.
  void end_warmup();
  void settle();

  // Another process has served an image whose request was made at `made`. Makes the requests to the part
  // (index of Spec::instances) that follow from it, now.
  void deliver(std::size_t part, sim::Time made);
  // From now on, reports each image that the part has served to `feed`.
  void feed(std::size_t part, const Feed& feed);

  [[nodiscard]] const Spec& spec() const { return spec_; }
  // The account of its first host thread.
  [[nodiscard]] const TimeAccount& time() const { return accounting_.time(); }
  // Sums over its host threads: time that belongs to a share, all time, and time of enqueue calls.
  [[nodiscard]] sim::Duration time_in(Share share) const;
  [[nodiscard]] sim::Duration thread_time() const;
  [[nodiscard]] TimeAccount::Enqueue enqueuing() const;
  [[nodiscard]] const Served& served() const { return accounting_.served(); }
  [[nodiscard]] const sim::RateMeans& rate() const { return served().rate(); }               // images/s
  [[nodiscard]] const sim::Quantiles& latency() const { return latencies().quantiles(); }    // seconds
  [[nodiscard]] const sim::Observations& latencies() const { return served().latencies(); }  // seconds
  [[nodiscard]] std::int64_t enqueue_calls() const { return accounting_.enqueue_calls(); }
  [[nodiscard]] std::int64_t synchronise_calls() const { return accounting_.synchronise_calls(); }
  // Time in all synchronise calls together.
  [[nodiscard]] sim::Duration synchronising() const { return accounting_.synchronising(); }
  [[nodiscard]] std::int64_t batches() const { return served().batches(); }
  // Time passed in each stage, those before inference first; waiting for a core included.
  [[nodiscard]] const std::vector<sim::Duration>& in_stages() const { return accounting_.in_stages(); }
  // Time at which the set-up was done; time at which the last batch was done.
  [[nodiscard]] std::optional<sim::Time> ready() const { return accounting_.ready_at(); }
  [[nodiscard]] std::optional<sim::Time> finished() const { return accounting_.finished_at(); }
  [[nodiscard]] gpu::Running running();  // totals since the warm-up
  // Requests that a full queue dropped since the warm-up: in total, and for one part.
  [[nodiscard]] std::int64_t drops() const;
  [[nodiscard]] std::int64_t drops(std::size_t part) const;
  // Requests to a part that came by deliver(), since the warm-up.
  [[nodiscard]] std::int64_t delivered(std::size_t part) const;
  // Requests that wait now, for the link or for the process.
  [[nodiscard]] std::int64_t waiting();
  [[nodiscard]] std::int64_t waiting(std::size_t part);
  // True if requests have come that nobody has taken, including one that a free process would take at once.
  [[nodiscard]] bool may_have_requests(std::size_t part);
  // Its streams with their answered requests; empty unless serves_instances().
  [[nodiscard]] const std::deque<Server::Lane>& instances() const;
  // Metrics of a stream that generates text; null if it does not.
  [[nodiscard]] const TokenMetrics* tokens(std::size_t stream) const;
  // Answered requests of a part, one entry for each of its streams.
  [[nodiscard]] std::vector<const Served*> served_by(std::size_t part) const;
  // Sums over the host threads and the threads of its team or of its stages.
  [[nodiscard]] std::int64_t migrations() const;
  [[nodiscard]] std::int64_t involuntary_switches() const;
  // Time since the warm-up in which a quota or the limit of real-time threads held back a thread: the maximum
  // over the host thread and its team.
  [[nodiscard]] sim::Duration throttled() const { return throttled_so_far() - throttled_before_; }

 private:
  [[nodiscard]] sim::Task<> load(HostThread& host);
  [[nodiscard]] cpu::ThreadStatistics of_team() const;  // zeros if there is no team
  [[nodiscard]] sim::Duration throttled_so_far() const;

  Spec spec_;
  Costs costs_;
  sim::Engine& engine_;
  sim::RandomStream loading_;  // draws how long its threads load
  Accounting accounting_;
  sim::Duration throttled_before_;       // value at the end of the warm-up
  std::optional<LaunchLock> lock_;       // set if there are several host threads
  std::deque<TimeAccount> other_times_;  // of the host threads behind the first
  std::deque<HostThread> hosts_;
  std::size_t ended_ = 0;     // number of host threads that have nothing more to do
  bool all_batches_ = true;   // each of them has done all its batches
  std::deque<cpu::Flag> go_;  // for each thread behind the first: the set-up is done
  // A loop over one stream, or over the threads of a team.
  struct Alone {
    Alone(const BoardParts& board, const Spec& spec, const Costs& costs, HostThread& host,
          Accounting& accounting)
        : steps(board, spec, costs, host, accounting) {}
    BatchSteps steps;
    std::optional<Requests> requests;
  };
  using Work = std::variant<Alone, Server, Pipeline>;
  void add_hosts(const BoardParts& board, const Identity& identity);
  [[nodiscard]] Work work_of(const BoardParts& board, const Identity& identity);
  [[nodiscard]] Stream* stream();              // null: not alone on one
  [[nodiscard]] const Server* server() const;  // null: alone
  [[nodiscard]] Server* server() { return const_cast<Server*>(std::as_const(*this).server()); }

  Work work_;
};

}  // namespace jostle::process
