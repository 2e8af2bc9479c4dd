// The one context that has batches: its kernels, looked at when something happens and not one by one.
#include <algorithm>

#include "models/gpu/space_sharing.hpp"
#include "sim/contract.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

// Kernels that an observer sees are simulated one by one, as are those of a client that may not use all SMs,
// because they slow themselves down.
std::optional<std::size_t> SpaceSharedGpu::alone() const {
  if (repeating_ || in_turns() || mode_ != Mode::running || !owner_ || observer_.finished != nullptr)
    return std::nullopt;
  const Group& group = groups_[*owner_];
  const auto stream = group.dispatcher.only_running();
  if (!stream) return std::nullopt;
  const std::size_t index = group.contexts[static_cast<std::size_t>(*stream)];
  const Context& context = contexts_[index];
  const bool may = context.began && context.sms >= spec_.sm_count &&
                   !context.batches.front().kernel_by_kernel &&
                   context.kernel + 1 < context.batches.front().given->kernels.size();
  return may ? std::optional(index) : std::nullopt;
}

Time SpaceSharedGpu::end_alone(const Context& context) {
  const Group& group = groups_[context.group];
  return group.dispatcher.next() + context.kernels->alone(spec_, rates_, group.longer)[context.kernel].rest;
}

// Finds the kernel that runs now, or the gap before it.
void SpaceSharedGpu::run_alone() {
  const auto index = alone();
  if (!index) return;
  Context& context = contexts_[*index];
  Group& group = groups_[context.group];
  space::Dispatcher& dispatcher = group.dispatcher;
  const Time now = engine_.now();
  const Time first_end = dispatcher.next();
  if (first_end >= now) return;
  dispatcher.run_until(first_end);
  done_.clear();
  dispatcher.end(done_);
  sim::contract(done_.size() == 1, "the kernel that runs alone is over");
  const Duration passed = first_end - context.counted_at;
  context.used += used_in(*context.timed, passed, std::max(1 - context.counted, 0.0));
  context.ran += passed;
  activities_of(context,
                [&](Activity& activity) { activity.change_kernels(-1, context.resident, {}, first_end); });
  const std::vector<AloneKernel>& kernels = context.kernels->alone(spec_, rates_, group.longer);
  Time start, end = first_end;  // a kernel begins, and the one before it ends
  while (true) {
    const AloneKernel& next = kernels[++context.kernel];
    start = end + next.gap;
    if (context.kernel + 1 == kernels.size() || start + next.takes > now) break;
    dispatcher.pass_over(context.stream, context.kernels->at(context.kernel, spec_, rates_).work);
    context.used += next.used;
    context.ran += next.takes;
    activities_of(context, [&](Activity& activity) { activity.pass_over(next.takes, next.resident); });
    end = start + next.takes;
  }
  context.timed = &context.kernels->at(context.kernel, spec_, rates_);
  context.on_gpu = context.executing = start <= now;
  context.resident = context.executing ? resident_of(context.timed->kernel) : Resident{};
  if (context.executing)
    activities_of(context,
                  [&](Activity& activity) { activity.change_kernels(1, {}, context.resident, start); });
  context.free_since = end;
  context.counted_at = context.executing ? start : now;
  context.counted = 0;
  if (!context.executing) {
    context.began.reset();
    loose_.insert(std::ranges::lower_bound(loose_, *index), *index);
    next_kernel(context);
    plan_next(context);
    schedule_next();
    return;
  }
  dispatcher.run_until(start);
  dispatcher.ready(context.stream, context.timed->work);
  dispatcher.dispatch(placing());
  while (dispatcher.next() < now) {  // a wave of it is over
    dispatcher.run_until(dispatcher.next());
    done_.clear();
    dispatcher.end(done_);
    sim::contract(done_.empty(), "the kernel that runs alone is not over");
    dispatcher.dispatch(placing());
  }
  context.began = start;
  schedule_next();
}

}  // namespace jostle::gpu
