// A stream whose batches run in segments on GPU and DLA, one after another, as TensorRT runs a network that a
// DLA takes in part: the engines hand over to each other by fences, without the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/dla/dla.hpp"
#include "models/gpu/gpu.hpp"
#include "models/process/spec.hpp"
#include "sim/engine.hpp"

namespace jostle::process {

struct StreamListener {
  void (*batch_done)(void* context) = nullptr;
  void (*dla_changed)(void* context, dla::TaskState state) = nullptr;  // of the present segment
  void* context = nullptr;
};

class SegmentStream {
 public:
  // All must outlive it; `segments` is not empty. `border`: between two segments of a batch.
  SegmentStream(sim::Engine& engine, gpu::Gpu& gpu, gpu::ContextId context, dla::Dla& dla,
                const std::vector<Segment>& segments, sim::Duration border, const StreamListener& listener);
  SegmentStream(const SegmentStream&) = delete;
  SegmentStream& operator=(const SegmentStream&) = delete;

  // A batch starts when it has been launched, its input has arrived and the batch before is done.
  void launched();
  void input_arrived();
  // The GPU has finished what it was given; to be called from the context's listener.
  void gpu_done() { segment_done(); }

  // Launched and not done.
  [[nodiscard]] std::uint64_t unfinished() const { return launched_ - done_; }
  // Calls of the host that launch one batch.
  [[nodiscard]] static std::int64_t launches(const std::vector<Segment>& segments);

 private:
  void begin_batch();
  void begin_segment();
  void segment_done();
  void dla_changed(dla::TaskState state);

  sim::Engine& engine_;
  gpu::Gpu& gpu_;
  gpu::ContextId context_;
  dla::Dla& dla_;
  const std::vector<Segment>& segments_;
  sim::Duration border_;
  StreamListener listener_;
  std::uint64_t launched_ = 0, inputs_ = 0, started_ = 0, done_ = 0;
  std::size_t segment_ = 0;  // of the batch under way
};

}  // namespace jostle::process
