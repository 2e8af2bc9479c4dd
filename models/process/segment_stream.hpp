// A stream whose batches run in segments on GPU and DLA, one after another, as TensorRT runs a network that
// is partly on a DLA: the engines wait for each other at fences, without the host. It is one of the launchers
// (launchers.hpp describes its functions).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/dla/dla.hpp"
#include "models/process/board_parts.hpp"
#include "models/process/costs.hpp"
#include "models/process/gpu_context.hpp"
#include "models/process/spec.hpp"
#include "sim/engine.hpp"

namespace jostle::process {

// Notified by a launcher of the progress of its launches.
struct LaunchListener {
  void (*batch_done)(void* context) = nullptr;
  void (*dla_changed)(void* context, dla::TaskState state) = nullptr;  // state of the present segment
  void* context = nullptr;
};

class SegmentStream {
 public:
  // All arguments must outlive it. The spec must have segments, and the board their DLA.
  SegmentStream(const BoardParts& board, const Spec& spec, const Costs& costs, GpuContext& context,
                const LaunchListener& listener);
  SegmentStream(const SegmentStream&) = delete;
  SegmentStream& operator=(const SegmentStream&) = delete;

  // A batch starts when it has been launched, its input has arrived and the batch before is done, or is in a
  // last segment on the GPU: its own first one there is then enqueued behind, as in a CUDA stream, so that
  // one turn has both. By trtexec an inference on a DLA beside a process on the GPU lasts as long as the time
  // from one to the next (yyshin-katech: 4.746 ms, 210.7 images/s): it waits nowhere between two.
  [[nodiscard]] sim::Duration work(double factor, double lock) const {
    return sim::work_in(host_work_, factor) + sim::work_in(launch_work_, factor * lock);
  }
  [[nodiscard]] sim::Duration begin(double factor, double lock) const { return work(factor, lock); }
  void end();
  void input_arrived();
  void gpu_done() { segment_done(); }
  [[nodiscard]] std::uint64_t unfinished() const { return launched_ - done_; }

 private:
  void begin_batch();
  void begin_segment();
  // The last segment of the batch under way is on the GPU, where the next batch begins.
  [[nodiscard]] bool leaves_on_gpu() const {
    return begun_ == segments_.size() && !segments_.back().on_dla && !segments_.front().on_dla;
  }
  void segment_done();
  void dla_changed(dla::TaskState state);

  sim::Engine& engine_;
  GpuContext& context_;
  dla::Dla& dla_;
  const std::vector<Segment>& segments_;
  sim::Duration launch_work_, host_work_;  // host time of the launches of an enqueue call, and of all of it
  LaunchListener listener_;
  std::uint64_t launched_ = 0, inputs_ = 0, started_ = 0, done_ = 0;
  std::size_t begun_ = 0;  // number of segments of the batch under way that have begun
};

}  // namespace jostle::process
