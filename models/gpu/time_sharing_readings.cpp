// Readings of the GPU: the running time of contexts, its bounds, and each kernel for an observer.
#include <algorithm>

#include "models/gpu/occupancy.hpp"
#include "models/gpu/time_sharing.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

Duration TimeSharedGpu::running_time(ContextId id) {
  if (&get(id) == owner_) accrue();
  return get(id).executed;
}

Usage TimeSharedGpu::used_in_refill(const Context& context) {
  if (context.refilled == Duration::zero()) return {};
  return usage_of_refill(context.batches.front().kernels->kernels[context.underway().kernel],
                         context.refilled);
}

// The refill under way is over, or goes on with another kernel.
void TimeSharedGpu::book_refill(Context& context) {
  if (context.refilled == Duration::zero()) return;
  context.used += used_in_refill(context);
  context.refilled = Duration::zero();
}

// The result is kept, because most contexts have not run since the last reading.
const Usage& TimeSharedGpu::used_by(Context& context) {
  if (!context.used_now) {
    context.used_now = context.used;
    *context.used_now += used_in_refill(context);
    if (!context.batches.empty())
      *context.used_now += usage_until(*context.batches.front().kernels, context.underway());
  }
  return *context.used_now;
}

Running TimeSharedGpu::running(ContextId id) {
  const Duration total = running_time(id);
  return {.total = total, .used = used_by(get(id))};
}

Usage TimeSharedGpu::used() {
  accrue();
  Usage sum;
  for (Context& context : contexts_) sum += used_by(context);
  return sum;
}

Duration TimeSharedGpu::busy() {
  accrue();
  return busy_;
}

// Reports to the observer the kernels that ended between `from`, at `since`, and now.
void TimeSharedGpu::replay(Context& context, const Position& from, Time since) {
  const Batch& batch = context.batches.front();
  const std::vector<Kernel>& kernels = batch.kernels->kernels;
  const Time now = engine_.now();
  const Duration front_end = batch.kernel_by_kernel ? context.spec.per_launch : Duration::zero();
  Time t = since + from.launch_gap + from.cache_refill;
  std::uint32_t next = from.next;
  Duration into = from.into;
  if (!batch.kernel_by_kernel) {
    const Underway at = underway(*batch.kernels, from.into);
    next = at.kernel;
    into = at.done;
  }
  for (; next < kernels.size(); ++next, into = Duration::zero()) {
    if (into == Duration::zero()) t = std::max(t, ready_time(batch, context.batches.host(), next));
    if (t > now) return;
    const Duration cost = front_end + kernels[next].duration;
    const Duration stamped = front_end + std::min(observer_.first_stamp, kernels[next].duration);
    // A cache refill before a kernel prolongs it: the kernel begins earlier than its stamp by the refill.
    const Time stamp = t + (stamped - into);
    if (into <= stamped) context.kernel_began = stamp - context.refill_at_start;
    if (stamp < now) context.refill_at_start = Duration::zero();
    if (t + (cost - into) > now) return;
    t += cost - into;
    context.refill_at_start = Duration::zero();
    observer_.finished(observer_.context, context.id, context.kernel_began, t);
  }
}

}  // namespace jostle::gpu
