// Turns of processes whose streams share the GPU in space.
#include <algorithm>

#include "models/gpu/occupancy.hpp"
#include "models/gpu/space_sharing.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

bool SpaceSharedGpu::has_work(const Context& context) const {
  if (context.on_gpu || context.ready <= engine_.now()) return true;
  return context.ready < Time::never() && !context.batches.front().kernel_by_kernel;
}

bool SpaceSharedGpu::has_work(const Group& group) const {
  return std::ranges::any_of(group.contexts, [&](std::size_t index) { return has_work(contexts_[index]); });
}

// The group whose turn comes after the owner's; none: no other has work.
std::optional<std::size_t> SpaceSharedGpu::next_group() const {
  if (groups_.size() < 2) return {};
  for (std::size_t step = 1; step < groups_.size(); ++step) {
    const std::size_t index = (owner_ + step) % groups_.size();
    if (has_work(groups_[index])) return index;
  }
  return {};
}

// Saving and restoring what is resident of all running kernels (expiry_cost() for one).
Duration SpaceSharedGpu::cost_of_expiry() const {
  Duration cost = expiry_cost(spec_, nullptr);
  for (const std::size_t index : groups_[owner_].contexts)
    if (contexts_[index].on_gpu && contexts_[index].began)
      cost += expiry_cost(spec_, &contexts_[index].timed) - expiry_cost(spec_, nullptr);
  return cost;
}

// Streams refill their caches at one time.
Duration SpaceSharedGpu::refill_of(const Group& group) const {
  Duration refill;
  for (const std::size_t index : group.contexts)
    if (!contexts_[index].batches.empty())
      refill = std::max(refill, cache_refill_after_expiry(spec_, *contexts_[index].batches.front().given));
  return refill;
}

void SpaceSharedGpu::take_turns() {
  if (mode_ == Mode::switching) return;
  const std::optional<std::size_t> next = next_group();
  if (!next) return;
  const Time now = engine_.now();
  if (!has_work(groups_[owner_])) {
    const Time until = std::min(idle_since_ + spec_.time_slicing.hold_when_idle, turn_ends_);
    if (until <= now || is_busy_) {
      leave(*next, spec_.time_slicing.switch_when_idle);
    } else {
      mode_ = Mode::holding;
      mode_ends_ = until;
    }
    return;
  }
  mode_ = Mode::running;
  if (now < turn_ends_) return;
  groups_[owner_].expired = true;
  leave(*next, cost_of_expiry());
}

void SpaceSharedGpu::leave(std::size_t next, Duration cost) {
  const Time now = engine_.now();
  for (const std::size_t index : groups_[owner_].contexts) count(contexts_[index]);
  note_busy(false);
  owner_ = next;
  mode_ = Mode::switching;
  Group& group = groups_[owner_];
  switch_over_ = now + cost;
  mode_ends_ = switch_over_ + (std::exchange(group.expired, false) ? refill_of(group) : Duration::zero());
  switching_ += cost;
  ++switches_;
  for (Context& context : contexts_) refresh_state(context);
}

void SpaceSharedGpu::arrive() {
  mode_ = Mode::running;
  const Time now = engine_.now();
  Group& group = groups_[owner_];
  turn_ends_ = now + group.slice.value_or(spec_.time_slicing.slice);
  if (const Duration jitter = spec_.time_slicing.slice_jitter; jitter > Duration::zero())
    turn_ends_ += sim::work_in(jitter, 2 * random_.uniform() - 1);
  group.dispatcher.skip_until(now);
  note_busy(has_work(group));
  for (const std::size_t index : group.contexts) contexts_[index].counted_at = now;
  for (Context& context : contexts_) refresh_state(context);
}

// A switch under way counts as far as it has passed.
Duration SpaceSharedGpu::switching() {
  return switching_ - std::max(switch_over_ - engine_.now(), Duration::zero());
}

}  // namespace jostle::gpu
