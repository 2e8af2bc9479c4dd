// The steps of a batch, which a loop (loops.hpp) puts in order: the host's stages before inference, inference
// on the GPU (Stream) or on the cores (ThreadTeam), the stages after it, and the accounting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "models/process/accounting.hpp"
#include "models/process/arrivals.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/host_thread.hpp"
#include "models/process/session_pool.hpp"
#include "models/process/spec.hpp"
#include "models/process/stage_line.hpp"
#include "models/process/stream.hpp"
#include "models/process/thread_team.hpp"
#include "sim/engine.hpp"
#include "sim/process.hpp"

namespace jostle::process {

// Notified of each image that is done. `made`: when the request for it was made.
struct Feed {
  void (*served)(void* context, sim::Time made) = nullptr;
  void* context = nullptr;
};

class BatchSteps {
 public:
  // All arguments must outlive it.
  BatchSteps(const BoardParts& board, const Spec& spec, const Costs& costs, HostThread& host,
             Accounting& accounting);
  BatchSteps(const BatchSteps&) = delete;
  BatchSteps& operator=(const BatchSteps&) = delete;

  // All steps of a batch whose request was made at `made`. Batches are numbered from 0.
  [[nodiscard]] sim::Task<> serve(std::uint64_t batch, sim::Time made);
  // True if each batch must be done by serve(): the host works on it before or after inference, computes it,
  // or waits for it in the same call.
  [[nodiscard]] bool one_by_one() const;

  // The steps of a batch that can be enqueued ahead.
  [[nodiscard]] Stream::Enqueuing enqueue(std::uint64_t batch, sim::Time made) {
    if (pool_) pool_->wake(host_.thread());
    return stream().enqueue(batch, made);
  }
  [[nodiscard]] Stream::Synchronising synchronise(std::uint64_t batch) { return stream().synchronise(batch); }
  void record(std::uint64_t batch) { record_made_at(stream().made(batch)); }
  // Records a batch of `images`, divided equally among requests that were made at `made`; or hands it on to
  // the stages of other threads, which call answered() in the end.
  void record(std::span<const sim::Time> made, std::int64_t images);
  void answered(std::span<const sim::Time> made, std::int64_t images);
  void hand_on_to(StageLine& line) { line_ = &line; }
  // The stages before and after inference of a batch of `images`, on the host thread.
  [[nodiscard]] sim::Task<> before(std::int64_t images) { return work_on(spec_.before, 0, images); }
  [[nodiscard]] sim::Task<> after(std::int64_t images) {
    return work_on(spec_.after, spec_.before.size(), images);
  }
  [[nodiscard]] bool is_done(std::uint64_t batch) { return stream().is_done(batch); }
  [[nodiscard]] Stream& stream() { return std::get<Stream>(executor_); }

  // From now on, records batches for `instance` as well as for the process.
  void record_for(Served& instance) { instance_ = &instance; }
  // From now on, reports each image that is done to `feed`.
  void feed(const Feed& feed) { feeds_.push_back(feed); }
  void serving(bool full);

  // Number of batches that the process does before it ends.
  [[nodiscard]] std::uint64_t max_batches() const { return process::max_batches(spec_); }
  [[nodiscard]] sim::Time now() const { return engine_.now(); }
  [[nodiscard]] HostThread& host() { return host_; }

  // The part that runs inference; std::get_if selects it.
  using Executor = std::variant<Stream, ThreadTeam>;
  [[nodiscard]] Executor& executor() { return executor_; }
  [[nodiscard]] const Executor& executor() const { return executor_; }

 private:
  // `first`: index of the first of the stages in Accounting::in_stages().
  [[nodiscard]] sim::Task<> work_on(const std::vector<HostStage>& stages, std::size_t first,
                                    std::int64_t images);
  [[nodiscard]] sim::Task<> on_engine(media::Kind kind, sim::Duration time);
  void record_made_at(sim::Time made);

  sim::Engine& engine_;
  std::deque<media::Engine>& engines_;
  const Spec& spec_;
  HostThread& host_;
  Accounting& accounting_;
  Executor executor_;
  std::optional<SessionPool> pool_;
  Served* instance_ = nullptr;
  StageLine* line_ = nullptr;  // does the stages after inference; null: the host thread does
  std::vector<Feed> feeds_;
  cpu::Flag engine_done_;
};

}  // namespace jostle::process
