// Readings of the GPU: the running time of contexts, its bounds, and each kernel for an observer. Changes of
// rates: the owner's kernels are re-timed at once, those of other contexts at the begin of their turn.
#include <algorithm>
#include <stdexcept>

#include "models/gpu/occupancy.hpp"
#include "models/gpu/time_sharing.hpp"
#include "sim/contract.hpp"

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
  sim::contract(Time::zero() + (busy_ + turns_.switching()) <= engine_.now(),
                "the GPU executes kernels or switches, one at a time");
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

void TimeSharedGpu::set_rates(const Rates& rates) {
  if (!(rates.clock > 0 && rates.memory > 0)) throw std::invalid_argument("the GPU's rates must be positive");
  if (rates == rates_) return;
  accrue();
  rates_ = rates;
  ++epoch_;
  if (turns_.mode() != Mode::running) return;
  turns_.undo_drain();
  if (turns_.draining() && turns_.ends() > engine_.now()) {
    // The turn continues until a given point of the kernel in progress.
    const Underway at = owner_->underway();
    const Duration before = owner_->batches.front().kernels->kernels[at.kernel].duration;
    retime(*owner_);
    const Duration now = owner_->batches.front().kernels->kernels[at.kernel].duration;
    const Duration left = turns_.ends() - engine_.now();
    turns_.drain_until(engine_.now() +
                       (same_fraction(at.done + left, before, now) - same_fraction(at.done, before, now)));
  }
  plan();
}

// Re-times the oldest batch of a context to the current rates.
void TimeSharedGpu::retime(Context& context) {
  Batch& batch = context.batches.front();
  batch.epoch = epoch_;
  const KernelSequence& next = context.retimed.at(*batch.given, rates_);
  if (&next == batch.kernels) return;
  const Underway at = context.underway();
  const Position position = retimed(batch, context.spec.per_launch, context.position, at, next);
  // The usage so far is kept.
  book_refill(context);
  context.used += usage_until(*batch.kernels, at);
  batch.kernels = &next;
  context.position = position;
  context.used -= usage_until(next, context.underway());
  context.used_now.reset();
}

}  // namespace jostle::gpu
