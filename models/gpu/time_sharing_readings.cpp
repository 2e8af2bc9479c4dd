// What the GPU tells: time that contexts ran, what bounded it, and kernel by kernel for an observer.
#include <algorithm>

#include "models/gpu/time_sharing.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

Duration TimeSharedGpu::running_time(ContextId id) {
  if (&get(id) == owner_) book();
  return get(id).executed;
}

Running TimeSharedGpu::running(ContextId id) {
  Running running{
      .total = running_time(id), .compute = get(id).compute, .memory = get(id).memory, .fixed = 0};
  const Context& context = get(id);
  if (!context.batches.empty()) {
    const dnn::KernelSequence& kernels = *context.batches.front().kernels;
    const Underway at = context.underway();
    if (at.kernel > 0) {
      running.compute += kernels.compute_until[at.kernel - 1];
      running.memory += kernels.memory_until[at.kernel - 1];
    }
    if (at.kernel < kernels.kernels.size()) {
      const dnn::Kernel& kernel = kernels.kernels[at.kernel];
      running.compute += sim::to_seconds(at.done) * static_cast<double>(kernel.compute_share);
      running.memory += sim::to_seconds(at.done) * static_cast<double>(kernel.memory_share);
    }
  }
  running.fixed = std::max(sim::to_seconds(running.total) - running.compute - running.memory, 0.0);
  return running;
}

Duration TimeSharedGpu::busy() {
  book();
  return busy_;
}

Duration TimeSharedGpu::switching() {
  return mode_ == Mode::switching ? switching_ + (engine_.now() - switch_began_) : switching_;
}

// Tells the observer of the kernels that ended between `from`, at `since`, and now.
void TimeSharedGpu::replay(Context& context, const Position& from, Time since) {
  const Batch& batch = context.batches.front();
  const std::vector<dnn::Kernel>& kernels = batch.kernels->kernels;
  const Time now = engine_.now();
  const Duration front_end = batch.piecewise ? context.spec.per_launch : Duration::zero();
  Time t = since + from.stall + from.cold;
  std::uint32_t next = from.next;
  Duration into = from.into;
  if (!batch.piecewise) {
    const Underway at = underway(*batch.kernels, from.into);
    next = at.kernel;
    into = at.done;
  }
  for (; next < kernels.size(); ++next, into = Duration::zero()) {
    if (into == Duration::zero()) t = std::max(t, ready_time(batch, context.host, next));
    if (t > now) return;
    const Duration cost = front_end + kernels[next].duration;
    const Duration stamped = front_end + std::min(observer_.first_stamp, kernels[next].duration);
    // A kernel that starts with a refill is the slower for it: it begins before.
    const Time stamp = t + (stamped - into);
    if (into <= stamped) context.kernel_began = stamp - context.cold_start;
    if (stamp < now) context.cold_start = Duration::zero();
    if (t + (cost - into) > now) return;
    t += cost - into;
    context.cold_start = Duration::zero();
    observer_.finished(observer_.context, context.id, context.kernel_began, t);
  }
}

}  // namespace jostle::gpu
