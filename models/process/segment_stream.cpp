#include "models/process/segment_stream.hpp"

#include <algorithm>

namespace jostle::process {

using sim::Duration;

SegmentStream::SegmentStream(sim::Engine& engine, gpu::Gpu& gpu, gpu::ContextId context, dla::Dla& dla,
                             const std::vector<Segment>& segments, Duration border,
                             const StreamListener& listener)
    : engine_(engine),
      gpu_(gpu),
      context_(context),
      dla_(dla),
      segments_(segments),
      border_(border),
      listener_(listener) {}

void SegmentStream::launched() {
  ++launched_;
  begin_batch();
}

void SegmentStream::input_arrived() {
  ++inputs_;
  begin_batch();
}

void SegmentStream::begin_batch() {
  if (started_ > done_ || started_ == std::min(launched_, inputs_)) return;
  ++started_;
  segment_ = 0;
  // Not now: this may be the GPU that tells of the batch before.
  engine_.schedule(engine_.now(), sim::action<&SegmentStream::begin_segment>(*this));
}

void SegmentStream::begin_segment() {
  const Segment& segment = segments_[segment_];
  if (!segment.on_dla) {
    gpu_.enqueue(context_, segment.kernels);
    return;
  }
  dla_.submit(segment.task,
              {.changed = [](void* self,
                             dla::TaskState state) { static_cast<SegmentStream*>(self)->dla_changed(state); },
               .context = this});
}

void SegmentStream::dla_changed(dla::TaskState state) {
  listener_.dla_changed(listener_.context, state);
  if (state == dla::TaskState::finished) segment_done();
}

void SegmentStream::segment_done() {
  ++segment_;
  if (segment_ < segments_.size()) {
    engine_.schedule(engine_.now() + border_, sim::action<&SegmentStream::begin_segment>(*this));
    return;
  }
  ++done_;
  listener_.batch_done(listener_.context);
  begin_batch();
}

std::int64_t SegmentStream::launches(const std::vector<Segment>& segments) {
  std::int64_t count = 0;
  for (const Segment& segment : segments)
    count += segment.on_dla ? 1 : static_cast<std::int64_t>(segment.kernels.kernels.size());
  return count;
}

}  // namespace jostle::process
