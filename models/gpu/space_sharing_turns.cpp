// Turns of processes whose streams share the GPU in space.
#include <algorithm>
#include <utility>

#include "models/gpu/occupancy.hpp"
#include "models/gpu/space_sharing.hpp"
#include "sim/contract.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

// Its next kernel has been launched: it may still pass the front end, or wait for the one before it.
bool SpaceSharedGpu::has_work(const Context& context) const {
  if (repeating_) return context.in_batch;
  return context.on_gpu || context.launched <= engine_.now();
}

bool SpaceSharedGpu::has_work(const Group& group) const {
  return std::ranges::any_of(group.contexts, [&](std::size_t index) { return has_work(contexts_[index]); });
}

bool SpaceSharedGpu::has_batches(const Group& group) const {
  return std::ranges::any_of(group.contexts,
                             [&](std::size_t index) { return !contexts_[index].batches.empty(); });
}

// Another process than the owner has work.
bool SpaceSharedGpu::contended() const {
  if (groups_.size() == 1) return false;
  for (std::size_t index = 0; index < groups_.size(); ++index)
    if (index != owner_ && has_work(groups_[index])) return true;
  return false;
}

// The group whose turn is next (there is one).
std::size_t SpaceSharedGpu::next_group() {
  return *rotation_.next(*owner_,
                         [&](std::size_t index) { return index != owner_ && has_work(groups_[index]); });
}

// Saving and restoring what is resident of all running kernels (expiry_cost() for one). While batches are
// repeated, one of those that were recorded.
Duration SpaceSharedGpu::cost_of_expiry() {
  const Duration least = expiry_cost(spec_, nullptr);
  Group& group = groups_[*owner_];
  if (repeating_)
    return group.expiries.empty() ? least : group.expiries[group.next_expiry++ % group.expiries.size()];
  Duration cost = least;
  for (const std::size_t index : group.contexts) {
    const Context& context = contexts_[index];
    if (context.executing && group.dispatcher.fraction(context.stream) > 0)
      cost += expiry_cost(spec_, &context.timed->kernel) - least;
  }
  if (may_record() && loops_.records()) group.expiries.push_back(cost);
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

// The work that may start while the slice has expired, by the granularity of preemption.
space::Dispatcher::Places SpaceSharedGpu::placing() const {
  using Places = space::Dispatcher::Places;
  if (!draining_) return Places::all;
  return spec_.time_slicing.granularity == PreemptionGranularity::kernel ? Places::running : Places::none;
}

// Nothing runs that cannot be preempted.
bool SpaceSharedGpu::drained() const {
  const space::Dispatcher& dispatcher = groups_[*owner_].dispatcher;
  switch (spec_.time_slicing.granularity) {
    case PreemptionGranularity::instruction:
      return true;
    case PreemptionGranularity::thread_block:
      return !dispatcher.has_resident_blocks();
    case PreemptionGranularity::kernel:
      return dispatcher.running() == 0;
  }
  return true;
}

void SpaceSharedGpu::change_mode(Mode mode) {
  const bool ran = owner_runs(), had_gpu = owner_has_gpu();
  mode_ = mode;
  if (in_turns() && owner_has_gpu() != had_gpu)
    activities_of(contexts_[groups_[*owner_].contexts.front()],
                  [&](Activity& activity) { activity.change_could(had_gpu ? -1 : 1, engine_.now()); });
  if (owner_runs() == ran) return;
  Group& group = groups_[*owner_];
  if (ran) {
    group.ran += engine_.now() - group.runs_since;
  } else {
    group.runs_since = engine_.now();
  }
  for (const std::size_t index : group.contexts) note_presence(contexts_[index]);
}

// The owner's mode is over.
void SpaceSharedGpu::end_mode() {
  const Time now = engine_.now();
  mode_ends_ = Time::never();
  switch (mode_) {
    case Mode::switching:
      switching_ += now - switch_began_;
      begin_turn(Duration::zero());
      return;
    case Mode::refilling:
      resume();
      return;
    case Mode::holding:
      leave(spec_.time_slicing.switch_when_idle);
      return;
    case Mode::idle:
    case Mode::running:
      return;
  }
}

// The GPU is given to whoever has work again.
void SpaceSharedGpu::end_idleness() {
  const bool slept = engine_.now() - idle_since_ >= spec_.idle_wake.after;
  const Duration wake = slept ? spec_.idle_wake.cost : Duration::zero();
  if (slept && repeating_) {
    loops_.distrust();
    stop_repeating();
  }
  if (owner_ && has_work(groups_[*owner_])) {
    begin_turn(wake);
    return;
  }
  for (std::size_t index = 0; index < groups_.size(); ++index) {
    if (!has_work(groups_[index])) continue;
    if (owner_) {
      switch_to(index, std::max(spec_.time_slicing.switch_when_idle, wake));
    } else {
      owner_ = index;
      begin_turn(wake);
    }
    return;
  }
}

// Ends the owner's turn if its slice is over or none of its streams has work, and others have.
void SpaceSharedGpu::end_turn() {
  const Time now = engine_.now();
  const Group& group = groups_[*owner_];
  const bool contended_before = std::exchange(contended_, contended());
  if (!contended_) {
    mode_ends_ = Time::never();
    change_mode(has_batches(group) ? Mode::running : Mode::idle);
    if (mode_ == Mode::idle) idle_since_ = now;
    return;
  }
  // An owner without competitors renews its slice.
  const Duration slice = group.slice.value_or(spec_.time_slicing.slice);
  if (!contended_before && turn_ends_ <= now) turn_ends_ += slice * ((now - turn_ends_) / slice + 1);
  if (has_work(group) || never_without_work(group)) {
    change_mode(Mode::running);
    mode_ends_ = Time::never();
    if (now < turn_ends_) return;
    draining_ = !drained();
    if (draining_) {
      groups_[*owner_].dispatcher.dispatch(placing());
      return;
    }
    groups_[*owner_].refill = refill_of(group);
    leave(cost_of_expiry());
  } else if (mode_ != Mode::holding) {
    mode_ends_ = std::min(now + spec_.time_slicing.hold_when_idle, turn_ends_);
    change_mode(Mode::holding);
    if (mode_ends_ <= now) end_mode();
  }
}

// The GPU goes to the next process with work (there is one).
void SpaceSharedGpu::leave(Duration cost) {
  sim::contract(owner_ && owner_runs(),
                "a turn that ends had begun, and belongs to the process that holds the GPU");
  for (const std::size_t index : groups_[*owner_].contexts) {
    Context& context = contexts_[index];
    set_executing(context, false);
    if (context.ready == Time::never()) continue;
    // The part of the front end that has passed is not repeated.
    context.front_end = std::clamp(context.ready - engine_.now(), Duration::zero(), context.front_end);
    context.ready = Time::never();
  }
  if (!repeating_) {
    Group& group = groups_[*owner_];
    ++group.turns;
    if (mode_ == Mode::holding) group.last_without_work = group.turns;
    if (may_record()) {
      note_recorded();
      for (const std::size_t index : group.contexts) loops_.end_turn(index);
    }
  }
  switch_to(next_group(), cost);
}

void SpaceSharedGpu::switch_to(std::size_t next, Duration cost) {
  change_mode(Mode::switching);
  owner_ = next;
  draining_ = false;
  switch_began_ = engine_.now();
  mode_ends_ = switch_began_ + cost;
  ++switches_;
}

// The owner, which has work, has the GPU. `wake`: until it is awake.
void SpaceSharedGpu::begin_turn(Duration wake) {
  const Time now = engine_.now();
  Group& group = groups_[*owner_];
  turn_ends_ = now + group.slice.value_or(spec_.time_slicing.slice);
  if (const Duration jitter = spec_.time_slicing.slice_jitter; jitter > Duration::zero())
    turn_ends_ += sim::work_in(jitter, 2 * random_.uniform() - 1);
  starts_from_ = now + wake;
  contended_ = contended();
  const Duration refill = std::exchange(group.refill, Duration::zero());
  if (refill == Duration::zero()) {
    resume();
    return;
  }
  change_mode(Mode::refilling);
  mode_ends_ = now + refill;
  if (repeating_) return;  // its usage is in the records
  for (const std::size_t index : group.contexts) set_executing(contexts_[index], has_work(contexts_[index]));
}

// The owner's kernels run from now on.
void SpaceSharedGpu::resume() {
  const Time now = engine_.now();
  Group& group = groups_[*owner_];
  for (const std::size_t index : group.contexts) set_executing(contexts_[index], false);
  change_mode(Mode::running);
  resumed_ = true;
  starts_from_ = std::max(starts_from_, now);
  if (repeating_) return;
  group.dispatcher.skip_until(now);
  for (const std::size_t index : group.contexts) {
    Context& context = contexts_[index];
    set_executing(context, context.on_gpu && context.began);
    plan_next(context);
  }
}

Duration SpaceSharedGpu::switching() {
  return mode_ == Mode::switching ? switching_ + (engine_.now() - switch_began_) : switching_;
}

}  // namespace jostle::gpu
