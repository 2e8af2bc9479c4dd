#include "models/process/segment_stream.hpp"

#include <algorithm>

namespace jostle::process {
namespace {

// Number of host calls that launch one batch.
std::int64_t launches(const std::vector<Segment>& segments) {
  std::int64_t count = 0;
  for (const Segment& segment : segments)
    count += segment.on_dla ? 1 : static_cast<std::int64_t>(segment.kernels->kernels.size());
  return count;
}

}  // namespace

SegmentStream::SegmentStream(const BoardParts& board, const Spec& spec, const Costs& costs,
                             GpuContext& context, const LaunchListener& listener)
    : engine_(board.engine),
      context_(context),
      dla_(board.dlas[static_cast<std::size_t>(spec.dla)]),
      segments_(spec.segments),
      launch_work_(costs.runtime.per_launch * launches(spec.segments)),
      host_work_(costs.runtime.per_batch + launch_work_),
      listener_(listener) {}

void SegmentStream::end() {
  ++launched_;
  begin_batch();
}

void SegmentStream::input_arrived() {
  ++inputs_;
  begin_batch();
}

void SegmentStream::begin_batch() {
  if (started_ == std::min(launched_, inputs_)) return;
  const bool first = started_ == done_;
  if (!first && (started_ > done_ + 1 || !leaves_on_gpu())) return;
  ++started_;
  if (!first) {
    context_.gpu().enqueue(context_.id(), segments_.front().kernels);
    return;
  }
  // The batch starts in an event of its own, because the caller may be the GPU, which reports the batch
  // before.
  engine_.schedule(engine_.now(), sim::action<&SegmentStream::begin_segment>(*this));
}

void SegmentStream::begin_segment() {
  const Segment& segment = segments_[begun_++];
  if (!segment.on_dla) {
    context_.gpu().enqueue(context_.id(), segment.kernels);
    begin_batch();
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
  if (begun_ < segments_.size()) {
    engine_.schedule(engine_.now(), sim::action<&SegmentStream::begin_segment>(*this));
    return;
  }
  ++done_;
  begun_ = started_ - done_;  // 1 if the next batch is on the GPU already
  listener_.batch_done(listener_.context);
  begin_batch();
}

}  // namespace jostle::process
