#include "tests/models/reference_gpu.hpp"

#include <algorithm>

#include "models/gpu/clocks.hpp"
#include "models/gpu/occupancy.hpp"

namespace jostle::gpu::test {

using sim::Duration;
using sim::Time;

// What a GPU decides comes after everything that hosts do at the same time.
void ReferenceGpu::again(sim::EventId& event, Time at, sim::Action action) {
  engine_.cancel(event);
  event = engine_.schedule(at, action, sim::Priority::late);
}

ContextId ReferenceGpu::create_context(const ContextSpec& spec) {
  Context& context = contexts_.emplace_back();
  context.gpu = this;
  context.id = {static_cast<std::uint32_t>(contexts_.size() - 1)};
  context.spec = spec;
  return context.id;
}

// Launches
// ------------------------------------------------------------------------------------------------------

void ReferenceGpu::push(Context& context, const Work& work) {
  context.batches.push_back(work);
  if (context.batches.size() == 1) {
    context.kernel = 0;
    prepare_kernel(context);
  }
}

// The next kernel, if there is one, has everything before it.
void ReferenceGpu::prepare_kernel(Context& context) {
  if (context.batches.empty()) return;
  const Work& work = context.batches.front();
  context.front_end = work.kernel_by_kernel ? context.spec.per_launch : Duration::zero();
  context.timed = at_rates(context);
  context.rest = context.timed.duration;
}

// The kernel that is next, as it is at the rates of now.
gpu::Kernel ReferenceGpu::at_rates(const Context& context) const {
  return gpu::at_clocks(context.batches.front().kernels->kernels[context.kernel], rates_);
}

// The kernel under way keeps its fraction.
void ReferenceGpu::retime(Context& context) const {
  if (context.batches.empty()) return;
  const gpu::Kernel before = context.timed;
  const Duration done = context.done();
  context.timed = at_rates(context);
  context.rest = context.timed.duration;
  context.rest -=
      done > Duration::zero() ? same_fraction(done, before.duration, context.timed.duration) : done;
}

void ReferenceGpu::set_rates(const Rates& rates) {
  if (rates == rates_) return;
  rates_ = rates;
  if (mode_ != Mode::turn) return;
  Context& owner = *owner_;
  const bool executing = doing_ == Doing::executing;
  if (executing) interrupt();
  const Duration before = owner.timed.duration;
  const Duration end = owner.done() + (turn_ends_ - engine_.now());
  retime(owner);
  if (draining_ && turn_ends_ > engine_.now()) {
    turn_ends_ = engine_.now() + same_fraction(end, before, owner.timed.duration) - owner.done();
    again(expiry_, turn_ends_, sim::action<&ReferenceGpu::slice_over>(*this));
  }
  if (executing) execute();
}

void ReferenceGpu::enqueue(ContextId id, const gpu::KernelSequence& kernels, bool gated) {
  Context& context = contexts_[id.index];
  push(context, {.kernels = &kernels, .gated = gated, .plan = {}, .launched = kernels.kernels.size()});
  work_arrived(context);
}

void ReferenceGpu::begin_launches(ContextId id, const gpu::KernelSequence& kernels, const LaunchPlan& plan,
                                  bool gated) {
  Context& context = contexts_[id.index];
  push(context, {.kernels = &kernels, .gated = gated, .kernel_by_kernel = true, .plan = plan});
  context.host = {engine_.now(), Duration::zero(), 0};
}

Time ReferenceGpu::next_launch(const Context& context) const {
  const Work& newest = context.batches.back();
  const auto kernel = static_cast<std::int64_t>(newest.launched);
  if (newest.launched == newest.kernels->kernels.size() || context.host.rate <= 0) return Time::never();
  const Duration ahead = newest.plan.first + newest.plan.each * (kernel + 1) - context.host.done;
  return context.host.since + sim::time_for(std::max(ahead, Duration::zero()), context.host.rate);
}

void ReferenceGpu::launch_until_now(Context& context) {
  if (context.batches.empty()) return;
  while (next_launch(context) <= engine_.now()) ++context.batches.back().launched;
}

void ReferenceGpu::launch_due(Context& context) {
  context.launch = {};
  ++context.batches.back().launched;
  if (const Time next = next_launch(context); next != Time::never())
    context.launch = engine_.schedule(next, sim::action<&Context::launch_next>(context));
  work_arrived(context);
}

void ReferenceGpu::host_progress(ContextId id, const HostProgress& progress) {
  Context& context = contexts_[id.index];
  launch_until_now(context);
  context.host = progress;
  launch_until_now(context);
  engine_.cancel(context.launch);
  if (!context.batches.empty()) {
    if (const Time next = next_launch(context); next != Time::never())
      context.launch = engine_.schedule(next, sim::action<&Context::launch_next>(context));
  }
  work_arrived(context);
}

void ReferenceGpu::finish_launches(ContextId id) {
  Context& context = contexts_[id.index];
  engine_.cancel(context.launch);
  context.host.rate = 0;
  if (!context.batches.empty())
    context.batches.back().launched = context.batches.back().kernels->kernels.size();
  work_arrived(context);
}

void ReferenceGpu::open(ContextId id) {
  Context& context = contexts_[id.index];
  const auto gated = std::find_if(context.batches.begin(), context.batches.end(),
                                  [](const Work& work) { return work.gated; });
  if (gated != context.batches.end()) gated->gated = false;
  work_arrived(context);
}

bool ReferenceGpu::ready(const Context& context) const {
  if (context.batches.empty()) return false;
  const Work& oldest = context.batches.front();
  return !oldest.gated && context.kernel < oldest.launched;
}

bool ReferenceGpu::contended() const {
  return std::any_of(contexts_.begin(), contexts_.end(),
                     [](const Context& context) { return context.state == ContextState::waiting; });
}

// Something of a context was launched, though perhaps not what it needs next.
void ReferenceGpu::work_arrived(Context& context) {
  if (!ready(context)) return;
  if (&context == owner_ && mode_ == Mode::turn) {
    if (doing_ == Doing::nothing) decide_soon();
  } else if (&context == owner_ && mode_ == Mode::holding) {
    engine_.cancel(hold_);
    mode_ = Mode::turn;
    again(expiry_, turn_ends_, sim::action<&ReferenceGpu::slice_over>(*this));
    decide_soon();
  } else if (context.state == ContextState::empty) {
    join(context);
  }
}

// Turns
// --------------------------------------------------------------------------------------------------------

void ReferenceGpu::join(Context& context) {
  const Time now = engine_.now();
  if (mode_ == Mode::idle) {
    const Duration wake =
        now - idle_since_ >= spec_.idle_wake.after ? spec_.idle_wake.cost : Duration::zero();
    const bool change = owner_ != nullptr && owner_ != &context;
    owner_ = &context;
    if (!change) {
      context.launch_gap = wake;
      if (contexts_.size() == 1 && now - idle_since_ < spec_.time_slicing.slice && !context.batches.empty() &&
          !context.batches.front().kernel_by_kernel)
        context.launch_gap += context.batches.front().kernels->lone_gap;
      begin_turn();
      return;
    }
    set_state(context, ContextState::switching_in);
    mode_ = Mode::switching;
    switch_began_ = now;
    ++switches_;
    again(handover_, now + std::max(spec_.time_slicing.switch_when_idle, wake),
          sim::action<&ReferenceGpu::handed_over>(*this));
    return;
  }
  const bool first = mode_ == Mode::turn && !contended();
  set_state(context, ContextState::waiting);
  if (!first) return;
  // The owner was alone, and went from slice to slice.
  while (turn_ends_ <= now) turn_ends_ += owner_->spec.slice.value_or(spec_.time_slicing.slice);
  again(expiry_, turn_ends_, sim::action<&ReferenceGpu::slice_over>(*this));
  if (doing_ == Doing::nothing) decide_soon();
}

void ReferenceGpu::begin_turn() {
  set_state(*owner_, ContextState::owner);
  mode_ = Mode::turn;
  draining_ = false;
  turn_began_ = engine_.now();
  turn_ends_ = turn_began_ + owner_->spec.slice.value_or(spec_.time_slicing.slice);
  if (const Duration jitter = spec_.time_slicing.slice_jitter; jitter > Duration::zero())
    turn_ends_ += sim::work_in(jitter, 2 * random_.uniform() - 1);
  if (contended()) again(expiry_, turn_ends_, sim::action<&ReferenceGpu::slice_over>(*this));
  proceed();
}

void ReferenceGpu::decide_soon() {
  again(decision_, engine_.now(), sim::action<&ReferenceGpu::decide>(*this));
}

void ReferenceGpu::decide() {
  decision_ = {};
  proceed();
}

// The owner does nothing: what next?
void ReferenceGpu::proceed() {
  Context& owner = *owner_;
  retime(owner);
  const bool over = contended() && engine_.now() >= turn_ends_;
  const bool has_more =
      ready(owner) || owner.launch_gap > Duration::zero() || owner.cache_refill > Duration::zero();
  if (!has_more) {
    ran_dry();
  } else if (over) {
    expire();
  } else if (owner.launch_gap > Duration::zero()) {
    begin(Doing::in_launch_gap, owner.launch_gap);
  } else if (owner.cache_refill > Duration::zero()) {
    begin(Doing::refilling, owner.cache_refill);
  } else if (owner.front_end > Duration::zero()) {
    begin(Doing::front_end, owner.front_end);
  } else {
    execute();
  }
}

void ReferenceGpu::execute() {
  Context& owner = *owner_;
  const Duration stamp = std::min(observer_.first_stamp, owner.timed.duration);
  if (owner.done() <= stamp) owner.began = engine_.now() + (stamp - owner.done()) - owner.refill_before;
  begin(Doing::executing, owner.rest);
}

void ReferenceGpu::begin(Doing what, Duration duration) {
  doing_ = what;
  doing_since_ = engine_.now();
  doing_until_ = doing_since_ + duration;
  again(step_, doing_until_, sim::action<&ReferenceGpu::step_over>(*this));
}

// What the owner is doing is left off, finished or not.
void ReferenceGpu::interrupt() {
  engine_.cancel(step_);
  Context& owner = *owner_;
  const Duration passed = engine_.now() - doing_since_;
  switch (doing_) {
    case Doing::nothing:
      return;
    case Doing::in_launch_gap:
      owner.launch_gap -= passed;
      break;
    case Doing::refilling:
      owner.cache_refill -= passed;
      owner.ran += passed;
      owner.used += usage_of_refill(owner.timed, passed);
      break;
    case Doing::front_end:
      owner.front_end -= passed;
      break;
    case Doing::executing:
      owner.used -= gpu::usage_of(owner.timed, owner.done());
      owner.rest -= passed;
      owner.ran += passed;
      if (owner.done() > observer_.first_stamp) owner.refill_before = Duration::zero();
      owner.used += gpu::usage_of(owner.timed, owner.done());
      break;
  }
  doing_ = Doing::nothing;
}

void ReferenceGpu::step_over() {
  const bool executed = doing_ == Doing::executing;
  interrupt();
  if (executed) {
    kernel_over();
  } else {
    proceed();
  }
}

void ReferenceGpu::kernel_over() {
  Context& owner = *owner_;
  if (observer_.finished != nullptr)
    observer_.finished(observer_.context, owner.id, owner.began, engine_.now());
  owner.refill_before = Duration::zero();
  ++owner.kernel;
  if (owner.kernel == owner.batches.front().kernels->kernels.size()) {
    batch_over();
  } else {
    prepare_kernel(owner);
    proceed();
  }
}

void ReferenceGpu::batch_over() {
  Context& owner = *owner_;
  const bool alone = !contended();
  owner.batches.pop_front();
  owner.kernel = 0;
  prepare_kernel(owner);
  ++owner.unseen;
  const bool tell = alone || owner.spec.follow_up_prolongs_turn;
  if (!owner.batches.empty()) {
    if (contexts_.size() == 1 && !owner.batches.front().kernel_by_kernel)
      owner.launch_gap += owner.batches.front().kernels->lone_gap;
    decide_soon();
  } else if (alone) {
    set_state(owner, ContextState::empty);
    mode_ = Mode::idle;
    idle_since_ = engine_.now();
  } else {
    ran_dry();
  }
  if (tell) see(owner);
}

// The owner can do nothing for now.
void ReferenceGpu::ran_dry() {
  if (!contended()) return;  // waits for its own next launch
  const Time now = engine_.now();
  const Time until = std::min(now + spec_.time_slicing.hold_when_idle, turn_ends_);
  if (until <= now) {
    leave(false);
    return;
  }
  engine_.cancel(expiry_);
  mode_ = Mode::holding;
  again(hold_, until, sim::action<&ReferenceGpu::hold_over>(*this));
}

void ReferenceGpu::hold_over() {
  hold_ = {};
  leave(false);
}

void ReferenceGpu::slice_over() {
  expiry_ = {};
  if (doing_ == Doing::nothing) return;  // a decision is due now
  if (doing_until_ == engine_.now()) {
    step_over();  // which finds that the slice is over
  } else {
    expire();
  }
}

bool ReferenceGpu::partly_done(const Context& context) const {
  return !context.batches.empty() && context.done() > Duration::zero();
}

void ReferenceGpu::expire() {
  interrupt();
  Context& owner = *owner_;
  if (!draining_ && partly_done(owner)) {
    draining_ = true;
    const Duration drain = drain_after_expiry(spec_, owner.timed, owner.done());
    if (drain > Duration::zero()) {
      turn_ends_ = engine_.now() + drain;
      again(expiry_, turn_ends_, sim::action<&ReferenceGpu::slice_over>(*this));
      proceed();
      return;
    }
  }
  leave(true);
}

void ReferenceGpu::leave(bool expired) {
  Context& last = *owner_;
  engine_.cancel(expiry_);
  Duration cost = spec_.time_slicing.switch_when_idle;
  if (expired) {
    cost = expiry_cost(spec_, partly_done(last) ? &last.timed : nullptr);
    last.refill_before = last.cache_refill = cache_refill_after_expiry(spec_, *last.batches.front().kernels);
  }
  last.launch_gap = Duration::zero();  // hidden in the turns of others

  std::size_t next = last.id.index;
  do {
    next = (next + 1) % contexts_.size();
  } while (contexts_[next].state != ContextState::waiting);
  set_state(contexts_[next], ContextState::switching_in);
  owner_ = &contexts_[next];
  mode_ = Mode::switching;
  switch_began_ = engine_.now();
  ++switches_;
  again(handover_, engine_.now() + cost, sim::action<&ReferenceGpu::handed_over>(*this));
  set_state(last, ready(last) ? ContextState::waiting : ContextState::empty);
  see(last);
}

void ReferenceGpu::handed_over() {
  handover_ = {};
  switched_ += engine_.now() - switch_began_;
  begin_turn();
}

void ReferenceGpu::see(Context& context) {
  for (; context.unseen > 0; --context.unseen)
    if (context.spec.listener.batch_seen != nullptr)
      context.spec.listener.batch_seen(context.spec.listener.context);
}

void ReferenceGpu::set_state(Context& context, ContextState state) {
  if (context.state == state) return;
  if (context.spec.listener.state_changing != nullptr)
    context.spec.listener.state_changing(context.spec.listener.context, state);
  context.state = state;
}

// Readings
// -----------------------------------------------------------------------------------------------------

Duration ReferenceGpu::running_time(ContextId id) {
  const Context& context = contexts_[id.index];
  const bool now = &context == owner_ && (doing_ == Doing::executing || doing_ == Doing::refilling);
  return now ? context.ran + (engine_.now() - doing_since_) : context.ran;
}

Usage ReferenceGpu::used() {
  Usage sum;
  for (std::uint32_t i = 0; i < contexts_.size(); ++i) sum += running({i}).used;
  return sum;
}

Running ReferenceGpu::running(ContextId id) {
  const Context& context = contexts_[id.index];
  Running running{.total = running_time(id), .used = context.used};
  const Duration underway = running.total - context.ran;
  if (underway == Duration::zero()) return running;
  if (doing_ == Doing::refilling) {
    running.used += usage_of_refill(context.timed, underway);
  } else {
    running.used += gpu::usage_of(context.timed, context.done() + underway);
    running.used -= gpu::usage_of(context.timed, context.done());
  }
  return running;
}

Duration ReferenceGpu::busy() {
  Duration sum;
  for (const Context& context : contexts_) sum += running_time(context.id);
  return sum;
}

Duration ReferenceGpu::switching() {
  return mode_ == Mode::switching ? switched_ + (engine_.now() - switch_began_) : switched_;
}

}  // namespace jostle::gpu::test
