// A process that runs inference: one host thread, one GPU context, and the loop between them.
//
//   closed loop:  enqueue batch i+1, wait for batch i, again (one batch always ahead, as trtexec)
//   arrivals:     wait for a request, enqueue it, wait for it, again
//   with stages:  work on the batch, enqueue it, wait for it, work on it, again
//   over a link:  the same of requests that have come over it; in a closed loop two are on their way or at
//                 work, the third made when the first one's answer is back
//
// What is enqueued runs on the GPU, or in segments on GPU and DLA (segment_stream.hpp). A process that
// computes on the CPU has no context: it computes a batch with its threads (thread_team.hpp), again.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/cpu/cpu.hpp"
#include "models/dla/dla.hpp"
#include "models/gpu/copy_engine.hpp"
#include "models/gpu/gpu.hpp"
#include "models/memory/traffic.hpp"
#include "models/process/arrivals.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/identity.hpp"
#include "models/process/remote_client.hpp"
#include "models/process/segment_stream.hpp"
#include "models/process/spec.hpp"
#include "models/process/thread_team.hpp"
#include "models/process/time_account.hpp"
#include "sim/engine.hpp"
#include "sim/process.hpp"
#include "sim/random.hpp"
#include "sim/statistics.hpp"

namespace jostle::process {

class Inference {
 public:
  // The board has what the spec uses: a GPU unless it computes on the CPU, the DLA of its segments.
  Inference(const BoardParts& board, const Spec& spec, const Costs& costs, const Identity& identity);
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  // The host thread, to be spawned.
  [[nodiscard]] sim::Process body();

  // Forgets statistics: the warm-up ends. And brings them up to now.
  void end_warmup();
  void settle();

  [[nodiscard]] const Spec& spec() const { return spec_; }
  [[nodiscard]] const TimeAccount& time() const { return account_; }
  [[nodiscard]] const sim::RateMeans& rate() const { return rate_; }        // images/s
  [[nodiscard]] const sim::Quantiles& latency() const { return latency_; }  // seconds
  [[nodiscard]] std::int64_t enqueue_calls() const { return enqueue_calls_; }
  [[nodiscard]] sim::Duration synchronising() const { return synchronising_; }  // in all calls together
  [[nodiscard]] std::int64_t synchronise_calls() const { return synchronise_calls_; }
  [[nodiscard]] std::int64_t batches() const { return batches_; }
  // Time passed in each stage, those before inference first; waiting for a core included.
  [[nodiscard]] const std::vector<sim::Duration>& in_stages() const { return in_stages_; }
  [[nodiscard]] std::optional<sim::Time> ready() const { return ready_; }        // when its set-up was done
  [[nodiscard]] std::optional<sim::Time> finished() const { return finished_; }  // its last batch
  [[nodiscard]] gpu::Running running();                                          // since the warm-up
  [[nodiscard]] std::int64_t drops() const { return requests_.drops() - drops_before_; }
  // The host thread, and those of its team.
  [[nodiscard]] std::int64_t migrations() const;
  [[nodiscard]] std::int64_t involuntary_switches() const;

 private:
  // A batch under way: at most two.
  struct Slot {
    cpu::Flag done;
    sim::Time since;  // when it entered enqueue, or was made
  };

  void create_context();
  [[nodiscard]] cpu::ThreadSpec thread_spec() const;
  [[nodiscard]] sim::Task<> set_up();
  void finish();
  // How many batches there are to do.
  [[nodiscard]] std::uint64_t max_batches() const {
    return spec_.batches ? static_cast<std::uint64_t>(*spec_.batches)
                         : std::numeric_limits<std::uint64_t>::max();
  }
  [[nodiscard]] sim::Process closed_loop();
  [[nodiscard]] sim::Process closed_loop_over_link();
  [[nodiscard]] sim::Task<> wait_for_request();
  void answer(std::uint64_t batches);
  [[nodiscard]] sim::Process one_by_one();
  [[nodiscard]] sim::Process serve_arrivals();
  [[nodiscard]] sim::Task<> serve(std::uint64_t batch, sim::Time since);
  // The stages from `first` of in_stages().
  [[nodiscard]] sim::Task<> work_on(const std::vector<HostStage>& stages, std::size_t first);
  [[nodiscard]] sim::Task<> compute(std::uint64_t batch, sim::Time since);
  [[nodiscard]] sim::Task<> enqueue(std::uint64_t batch, sim::Time since);
  [[nodiscard]] sim::Task<> synchronise(std::uint64_t batch);
  void record(std::uint64_t batch);

  [[nodiscard]] Slot& slot(std::uint64_t batch) { return slots_[batch % slots_.size()]; }
  [[nodiscard]] bool computes() const { return spec_.host.threads > 0; }
  // Whether a batch is begun only when the one before it is over.
  [[nodiscard]] bool serial() const { return computes() || !in_stages_.empty(); }
  // A graph is one launch; everything else is launched kernel by kernel.
  [[nodiscard]] bool launches_at_once() const { return spec_.runtime == Runtime::cuda_graph && !spec_.pace; }
  void set_phase(Phase phase);
  void note_copies(int change);
  void note_core_traffic();
  void thread_changed(cpu::State state, sim::Time now, sim::Duration done, double rate);
  void context_changing(gpu::ContextState next);
  void segment_seen();
  void batch_seen();
  void input_copied();
  void batch_done();

  sim::Engine& engine_;
  cpu::Cpu& cpu_;
  gpu::Gpu* gpu_;  // null only where it computes
  gpu::CopyEngine& copies_;
  Spec spec_;
  Costs costs_;
  sim::RandomStream random_;
  RequestQueue requests_;
  std::optional<RemoteClient> client_;  // where they come over a link
  std::uint64_t asked_ = 0;             // by it, in a closed loop
  cpu::ThreadId thread_;
  gpu::ContextId context_;  // none where it computes
  TimeAccount account_;
  std::optional<memory::Traffic>& traffic_;
  memory::Demand demand_;    // of its kernels on the memory
  bool owns_gpu_ = false;    // as told to `traffic_`, as is ...
  bool moves_data_ = false;  // its thread works on a core
  bool on_core_ = false, working_ = false;
  std::optional<SegmentStream> stream_;
  std::optional<ThreadTeam> team_;
  std::array<Slot, 2> slots_;
  bool launching_ = false;  // kernel by kernel, now
  std::uint64_t enqueued_ = 0, seen_ = 0, input_batches_ = 0;
  int copying_ = 0;           // copies under way
  bool input_early_ = false;  // the input was copied before the graph was launched

  std::optional<sim::Time> ready_, finished_;

  sim::RateMeans rate_;
  sim::Quantiles latency_;
  std::int64_t enqueue_calls_ = 0, synchronise_calls_ = 0, batches_ = 0, drops_before_ = 0;
  sim::Duration synchronising_;
  std::vector<sim::Duration> in_stages_;
  gpu::Running running_before_;
  sim::TrackId track_ = sim::TrackId::none, stage_track_ = sim::TrackId::none;
  sim::Time drawn_until_;  // on the timeline
};

}  // namespace jostle::process
