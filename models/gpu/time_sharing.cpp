// Turns: their begin, continuation and end, and the owner's position.
#include "models/gpu/time_sharing.hpp"

#include <fmt/format.h>

#include <utility>

#include "models/gpu/occupancy.hpp"
#include "sim/contract.hpp"

namespace jostle::gpu {

using sim::Duration;
using sim::Time;

TimeSharedGpu::TimeSharedGpu(sim::Engine& engine, const Spec& spec, std::uint64_t seed)
    : engine_(engine), spec_(spec), turns_(engine, spec_, seed, true) {}

ContextId TimeSharedGpu::create_context(const ContextSpec& spec) {
  Context& context = contexts_.emplace_back();
  context.gpu = this;
  context.id = {static_cast<std::uint32_t>(contexts_.size() - 1)};
  context.spec = spec;
  turns_.add(spec);
  if (sim::TraceSink* trace = engine_.trace())
    context.stream = trace->track(fmt::format("GPU: stream of {}", spec.name));
  return context.id;
}

void TimeSharedGpu::begin_turn() {
  set_state(*owner_, ContextState::owner);
  turns_.begin();
  accrued_ = engine_.now();
  plan();
}

// Computes the time until which the owner can proceed without interaction, and the reason for the end of that
// stretch.
void TimeSharedGpu::plan() {
  if (sim::TraceSink* trace = engine_.trace(); trace != nullptr && !std::exchange(owner_->drawn, true))
    trace->begin(owner_->stream, accrued_, "batch");
  Context& owner = *owner_;
  if (owner.batches.front().epoch != epoch_) retime(owner);
  turns_.undo_drain();
  const auto go_on_from = [&](const Position& position, Time from) {
    planned_ = advance(owner.batches[passed_], owner.batches.host(), owner.spec.per_launch,
                       {position, from, contended() ? turns_.ends() : Time::never(), contended()});
  };
  passed_ = 0;
  go_on_from(owner.position, accrued_);
  // Events without a visible effect are left out: the end of a batch, if its host does not see it during the
  // turn; the expiry of the slice, if the running block or kernel still finishes.
  const bool hidden = contended() && !owner.spec.follow_up_prolongs_turn && observer_.finished == nullptr &&
                      engine_.trace() == nullptr;
  for (;;) {
    if (planned_.why == Stop::batch_done && hidden && passed_ + 1 < owner.batches.size() &&
        owner.batches[passed_ + 1].epoch == epoch_) {
      ++passed_;
      go_on_from({}, planned_.at);
    } else if (planned_.why == Stop::limit && !turns_.draining()) {
      const Duration drain = drain_of(owner.batches[passed_], planned_.position);
      if (drain == Duration::zero()) break;
      const Time expiry = turns_.ends();
      turns_.drain(drain);
      go_on_from(planned_.position, expiry);
    } else {
      break;
    }
  }
  sim::contract(planned_.at >= accrued_, "the owner proceeds in time");
  set_event(planned_.at);
}

// The time for which the block or kernel at `position` continues after the slice expires.
Duration TimeSharedGpu::drain_of(const Batch& batch, const Position& position) const {
  const Underway at = jostle::gpu::underway(batch, owner_->spec.per_launch, position);
  return at.done > Duration::zero() ? drain_after_expiry(spec_, batch.kernels->kernels[at.kernel], at.done)
                                    : Duration::zero();
}

// Accrues the owner's progress up to now.
void TimeSharedGpu::accrue() {
  const Time now = engine_.now();
  if (turns_.mode() != Mode::running || accrued_ == now) return;
  Context& owner = *owner_;
  const auto advanced = [&] {
    return advance(owner.batches.front(), owner.batches.host(), owner.spec.per_launch,
                   {owner.position, accrued_, now, contended()});
  };
  for (; passed_ > 0; --passed_) {
    const Advance step = advanced();
    if (step.why != Stop::batch_done || step.at == now) return accrue_to(step.position, now);
    accrue_to(step.position, step.at);
    finish_batch(owner);
  }
  accrue_to(now == planned_.at ? planned_.position : advanced().position, now);
}

// The oldest batch of the owner has reached `position` at time `at`.
void TimeSharedGpu::accrue_to(const Position& position, Time at) {
  Context& owner = *owner_;
  const Batch& batch = owner.batches.front();
  if (observer_.finished != nullptr) replay(owner, owner.position, accrued_);
  const Duration cache_refill = owner.position.cache_refill - position.cache_refill;
  const Duration ran = executed(batch, owner.spec.per_launch, position) -
                       executed(batch, owner.spec.per_launch, owner.position) + cache_refill;
  sim::contract(ran >= Duration::zero() && accrued_ + ran <= at,
                "kernels of the owner execute no longer than time passes");
  owner.refilled += cache_refill;
  if (position.cache_refill == Duration::zero()) book_refill(owner);
  owner.used_now.reset();
  owner.executed += ran;
  busy_ += ran;
  owner.position = position;
  accrued_ = at;
}

// The planned end of the stretch has been reached.
void TimeSharedGpu::due() {
  event_ = {};
  switch (turns_.mode()) {
    case Mode::idle:
    case Mode::refilling:  // here it is a part of the kernels (Position::cache_refill)
      return;
    case Mode::switching:
      begin_turn();
      return;
    case Mode::holding:
      leave(false);
      return;
    case Mode::running:
      break;
  }
  sim::contract(planned_.at == engine_.now(), "a stretch ends when it was planned to");
  accrue();
  for (; passed_ > 0; --passed_) finish_batch(*owner_);  // done by now, because later ones have begun
  switch (planned_.why) {
    case Stop::batch_done: {
      Context& owner = *owner_;
      const bool seen = owner.spec.follow_up_prolongs_turn || !contended();
      finish_batch(owner);
      go_on();
      // This comes last: a host that is woken at once takes a core from another host, which calls back into
      // this GPU.
      if (seen) see_finished(owner);
      return;
    }
    case Stop::out_of_work:
      out_of_work();
      return;
    case Stop::limit:
      leave(true);
      return;
    case Stop::starved:
      return;
  }
}

// The owner has finished a batch. It keeps the GPU if it has more work.
void TimeSharedGpu::go_on() {
  if (!owner_->batches.empty()) {
    if (contexts_.size() == 1 && !owner_->batches.front().kernel_by_kernel)
      owner_->position.launch_gap += owner_->batches.front().given->lone_gap;
    plan();
  } else if (!contended()) {
    turns_.rest();
    set_state(*owner_, ContextState::empty);
  } else {
    out_of_work();
  }
}

// The owner is out of work while others wait.
void TimeSharedGpu::out_of_work() {
  if (!turns_.hold()) {
    leave(false);
    return;
  }
  set_event(turns_.mode_ends());
  watch_for_launch(*owner_);
}

void TimeSharedGpu::finish_batch(Context& context) {
  if (sim::TraceSink* trace = engine_.trace(); trace != nullptr && std::exchange(context.drawn, false))
    trace->end(context.stream, engine_.now());
  const KernelSequence& kernels = *context.batches.front().kernels;
  context.used += kernels.used.back();
  context.used_now.reset();
  context.batches.pop();
  context.position.next = 0;
  context.position.into = Duration::zero();
  ++context.unseen;
}

void TimeSharedGpu::see_finished(Context& context) {
  for (; context.unseen > 0; --context.unseen)
    if (context.spec.listener.batch_seen != nullptr)
      context.spec.listener.batch_seen(context.spec.listener.context);
}

// Ends the owner's turn: the GPU goes to the next waiting context (there is one).
void TimeSharedGpu::leave(bool expired) {
  Context& last = *owner_;
  Duration cost = spec_.time_slicing.switch_when_idle;
  if (expired) {
    book_refill(last);
    const KernelSequence& kernels = *last.batches.front().kernels;
    const Underway at = last.underway();
    cost = expiry_cost(spec_, at.done > Duration::zero() ? &kernels.kernels[at.kernel] : nullptr);
    last.refill_at_start = last.position.cache_refill = cache_refill_after_expiry(spec_, kernels);
  }
  last.position.launch_gap = Duration::zero();  // hidden in the turns of other contexts
  turns_.leave(cost);
  switch_in();
  if (!has_launched_work(last)) set_state(last, ContextState::empty);
  watch_for_launch(last);
  see_finished(last);
}

// The turns have a new owner, to which the GPU is being switched.
void TimeSharedGpu::switch_in() {
  owner_ = &contexts_[*turns_.owner()];
  set_state(*owner_, ContextState::switching_in);
  set_event(turns_.mode_ends());
}

void TimeSharedGpu::set_state(Context& context, ContextState state) {
  if (context.state == state) return;
  if (context.spec.listener.state_changing != nullptr)
    context.spec.listener.state_changing(context.spec.listener.context, state);
  context.state = state;
}

void TimeSharedGpu::set_event(Time at) {
  // The event comes after the hosts' events at the same instant.
  engine_.set(event_, at, sim::action<&TimeSharedGpu::due>(*this), sim::Priority::late);
}

}  // namespace jostle::gpu
