// Changes of rates: the owner's kernels are re-timed at once, those of other contexts at the begin of their
// turn.
#include <stdexcept>

#include "models/gpu/time_sharing.hpp"

namespace jostle::gpu {

using sim::Duration;

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
